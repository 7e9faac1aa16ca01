import { Link } from '@remix-run/react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import type { StorageView } from '#server/library/schemas.ts';
import classes from './library.module.css';

type Part = { part: string; files: number; bytes: number };

/** The sums by what they are of, those of files that are there first. */
export const storageParts = ({ kinds, uploads, trash }: StorageView): Part[] => [
  ...kinds.map(({ kind, ...sum }) => ({ part: kind, ...sum })),
  { part: 'uploads', ...uploads },
  { part: 'trash', ...trash },
];

/** How much room is taken, in the head of the library; more on its page. */
export function StorageMeter({ storage }: { storage: StorageView }) {
  const t = useT(libraryTexts);
  const format = useFormat();
  const count = storageParts(storage).reduce((sum, { files }) => sum + files, 0);
  return (
    <Link to="/library/storage" prefetch="intent" className={classes.headMeter}>
      <span>{t('storage.meter', { count, size: format.bytes(storage.totalBytes) })}</span>
      <StorageBar storage={storage} />
    </Link>
  );
}

/** The parts as a bar, beside words that say the same. */
export function StorageBar({ storage }: { storage: StorageView }) {
  const { totalBytes } = storage;
  return (
    <span className={classes.meter} aria-hidden="true">
      {storageParts(storage)
        .filter(({ bytes }) => bytes > 0)
        .map(({ part, bytes }) => (
          <span key={part} data-part={part} style={{ width: `${(bytes / totalBytes) * 100}%` }} />
        ))}
    </span>
  );
}
