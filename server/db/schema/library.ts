import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAt, int8, moment, primaryId } from './columns.ts';
import { outputs } from './generation-tasks.ts';
import { users } from './users.ts';

/** A person's named groups of outputs. */
export const collections = pgTable(
  'collections',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    name: text('name').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('collections_name_key').on(t.userId, sql`lower(${t.name})`),
    check('collections_name', sql`${t.name} = btrim(${t.name}) and ${t.name} <> ''`),
  ],
);

export const collectionOutputs = pgTable(
  'collection_outputs',
  {
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    outputId: uuid('output_id')
      .notNull()
      .references(() => outputs.id, { onDelete: 'cascade' }),
    addedAt: moment('added_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.collectionId, t.outputId] }),
    index('collection_outputs_output_idx').on(t.outputId),
  ],
);

/** Addresses under which anyone may see one output until they end. The address is the id and our signature of it. */
export const shareLinks = pgTable(
  'share_links',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    outputId: uuid('output_id')
      .notNull()
      .references(() => outputs.id, { onDelete: 'restrict' }),
    /** Whether the prompt is shown beside it. */
    showPrompt: boolean('show_prompt').notNull().default(false),
    createdAt: createdAt(),
    /** Null: until it is revoked. */
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    views: int8('views').notNull().default(0),
  },
  (t) => [
    index('share_links_user_idx').on(t.userId, t.id),
    index('share_links_output_idx').on(t.outputId),
    check('share_links_expiry', sql`${t.expiresAt} is null or ${t.expiresAt} > ${t.createdAt}`),
  ],
);

/** Prompts to start from: a person's own, or (without a person) the house's. */
export const promptTemplates = pgTable(
  'prompt_templates',
  {
    id: primaryId(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'restrict' }),
    kind: text('kind', { enum: ['image', 'video', 'audio', 'text', 'agent', 'drama'] }).notNull(),
    name: text('name').notNull(),
    prompt: text('prompt').notNull(),
    /** Of the house's: the language of the readers that it is offered to. Null: all. */
    language: text('language', { enum: ['en', 'zh-CN'] }),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('prompt_templates_name_key').on(t.userId, t.kind, sql`lower(${t.name})`),
    uniqueIndex('prompt_templates_house_name_key')
      .on(t.kind, sql`coalesce(${t.language}, '')`, sql`lower(${t.name})`)
      .where(sql`${t.userId} is null`),
    check('prompt_templates_language_known', sql`${t.language} in ('en', 'zh-CN')`),
    check('prompt_templates_name', sql`${t.name} = btrim(${t.name}) and ${t.name} <> ''`),
    check(
      'prompt_templates_kind_known',
      sql`${t.kind} in ('image', 'video', 'audio', 'text', 'agent', 'drama')`,
    ),
  ],
);

/** Named parameters of one model, as a person likes them. */
export const parameterPresets = pgTable(
  'parameter_presets',
  {
    id: primaryId(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    modelSlug: text('model_slug').notNull(),
    name: text('name').notNull(),
    params: jsonb('params').$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('parameter_presets_name_key').on(t.userId, t.modelSlug, sql`lower(${t.name})`),
    check('parameter_presets_name', sql`${t.name} = btrim(${t.name}) and ${t.name} <> ''`),
  ],
);
