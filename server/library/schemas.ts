import { z } from 'zod';
import { isStorable, type ReferenceRole } from '#server/generation/schemas.ts';
import { KINDS, type Kind, type TaskKind } from '#server/generation/status.ts';
import { calendarDay } from '#server/lib/schemas.ts';
import { MAKERS, type Maker, SHARE_EXPIRIES } from './shared.ts';

/** Inputs and views of the library and of share links: the contract of page and API. Isomorphic: zod and status only. */

/** Files of one selection: marked, moved, downloaded or thrown away together. */
const MAX_SELECTED = 200;
export const MAX_COLLECTIONS = 500;

const outputId = z.uuid('This is not a file of the library.');
const collectionId = z.uuid('This is not a collection.');
const outputIds = z
  .array(outputId)
  .min(1, 'Choose at least one file.')
  .max(MAX_SELECTED, `Choose at most ${MAX_SELECTED} files at once.`);
const day = calendarDay('Enter a day, like 2026-01-31.');
const NOT_TEXT = 'This has characters that are not text. Type it anew.';

export const libraryFilter = z.object({
  kind: z.enum(KINDS).optional(),
  /** Slug of a model. */
  model: z.string().min(1).max(120).refine(isStorable, NOT_TEXT).optional(),
  /** First and last day of submission, in the owner's time zone. */
  from: day.optional(),
  to: day.optional(),
  favorite: z.boolean().optional(),
  collection: collectionId.optional(),
  madeBy: z.enum(MAKERS).optional(),
  /** Part of the prompt, whatever its case. */
  text: z.string().trim().min(1).max(200).refine(isStorable, NOT_TEXT).optional(),
  /** What was thrown away, instead of the rest. */
  trash: z.boolean().optional(),
});
export type LibraryFilter = z.infer<typeof libraryFilter>;

/** `<task id>.<ordinal>` of the last file of the page before. */
export const libraryCursor = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d{1,9}$/);

export const libraryListInput = libraryFilter.extend({
  cursor: libraryCursor.optional(),
  limit: z.number().int().min(1).max(100).default(48),
});
export type LibraryListInput = z.infer<typeof libraryListInput>;

/** A file, and the list that it is looked at in, for the ones before and after it. */
export const libraryOutputInput = libraryFilter.extend({ outputId });
export type LibraryOutputInput = z.infer<typeof libraryOutputInput>;

/** Files of one archive: what fits into its bounds is said before it is asked for. */
export const MAX_ARCHIVE_FILES = 2_000;
export const MAX_ARCHIVE_BYTES = 8_000_000_000;

/** A list of the library as it stands in an address, without the trash: all of it as one archive. */
export const archiveQuery = libraryFilter.omit({ trash: true }).extend({
  favorite: z
    .literal('1')
    .transform(() => true)
    .optional(),
});

export const outputIdsInput = z.object({ outputIds });
export const favoriteInput = z.object({ outputIds, favorite: z.boolean() });

const collectionName = z
  .string()
  .trim()
  .min(1, 'Give the collection a name.')
  .max(80, 'A name has at most 80 characters.')
  .regex(/^[^\p{Cc}\p{Surrogate}]*$/u, NOT_TEXT);

export const createCollectionInput = z.object({ name: collectionName });
export const renameCollectionInput = z.object({ collectionId, name: collectionName });
export const collectionIdInput = z.object({ collectionId });
export const addToCollectionInput = z.object({
  collectionId,
  outputIds,
  /** Moved out of this one. */
  from: collectionId.optional(),
});
export const removeFromCollectionInput = z.object({ collectionId, outputIds });

export const createShareInput = z.object({
  outputId,
  expires: z.enum(SHARE_EXPIRIES).default('7'),
  showPrompt: z.boolean().default(false),
});
export type CreateShareInput = z.infer<typeof createShareInput>;

export const shareListInput = z.object({
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(50),
});

export const shareIdInput = z.object({ shareId: z.uuid('This is not a share link.') });
/** `<id>.<signature>`, as it stands in the address. */
export const shareTokenInput = z.object({ token: z.string().min(1).max(200) });

export type LibraryItem = {
  id: string;
  taskId: string;
  ordinal: number;
  kind: Kind;
  mime: string;
  bytes: number;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  /** `/files/outputs/<id>`; add `?download=1` for an attachment. */
  url: string;
  previewUrl: string | null;
  /** The beginning of the prompt, at most 300 characters. */
  prompt: string;
  model: { slug: string; title: string };
  madeBy: Maker;
  isFavorite: boolean;
  submittedAt: Date;
  trashedAt: Date | null;
};

export type LibraryPage = { items: LibraryItem[]; nextCursor: string | null };

/** How much all files of a list are, counted up to one more than an archive takes, and what one takes at most. */
export type ArchiveView = {
  files: number;
  bytes: number;
  fits: boolean;
  mostFiles: number;
  mostBytes: number;
};

export type CollectionView = { id: string; name: string; outputs: number };

/** What the filters can be set to. */
export type LibraryChoices = {
  collections: CollectionView[];
  /** Models of the person's newest tasks. */
  models: { slug: string; title: string }[];
};

/** A way on from a file: a model that is known to take it. */
export type FollowUp = {
  make: Kind;
  model: { slug: string; title: string };
  role: ReferenceRole;
};

export type LibraryOutputView = LibraryItem & {
  /** The whole prompt; `prompt` is its beginning. */
  fullPrompt: string;
  params: Record<string, unknown>;
  sha256: string;
  /** The task that made it, and the composite that ordered it. */
  task: { id: string; kind: TaskKind };
  parent: { id: string; kind: TaskKind } | null;
  /** What the whole task was charged, and how many files it delivered. */
  cost: { chargedCredits: number; outputs: number } | null;
  late: boolean;
  collections: { id: string; name: string }[];
  followUps: FollowUp[];
  /** Why there are none; null where there are some, and of texts, which are no references. */
  noFollowUps: { why: 'no_model' } | { why: 'too_large'; maxBytes: number } | null;
  shares: ShareView[];
  previousId: string | null;
  nextId: string | null;
};

export type StorageView = {
  /** Files that are there, by kind; thrown-away ones apart. */
  kinds: { kind: Kind; files: number; bytes: number }[];
  trash: { files: number; bytes: number };
  uploads: { files: number; bytes: number };
  totalBytes: number;
};

export type ShareView = {
  id: string;
  outputId: string;
  /** `/share/<id>.<signature>`. */
  path: string;
  showPrompt: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  views: number;
  /** Whether it shows the file now. */
  state: 'open' | 'expired' | 'revoked' | 'file_gone';
};

export type ShareListItem = ShareView & {
  output: { kind: Kind; previewUrl: string | null; prompt: string };
};

/** What anyone sees who has the address. */
export type SharedOutputView =
  | { state: 'gone' }
  | {
      state: 'open';
      kind: Kind;
      mime: string;
      bytes: number;
      width: number | null;
      height: number | null;
      durationMs: number | null;
      /** Under `/files/shares/…`; add `?download=1` for an attachment. */
      url: string;
      previewUrl: string | null;
      prompt: string | null;
      modelTitle: string;
      madeAt: Date;
      expiresAt: Date | null;
    };
