import { Button } from '@mantine/core';
import { FolderDown } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import type { ArchiveView, LibraryFilter } from '#server/library/schemas.ts';
import classes from './library.module.css';
import { libraryQuery } from './library-query.ts';

/** All files of the list as one archive, with how much that is; where it is too much, what an archive takes. */
export function ArchiveLink({ filter, archive }: { filter: LibraryFilter; archive: ArchiveView }) {
  const t = useT(libraryTexts);
  const format = useFormat();
  const { files, bytes, fits, mostFiles, mostBytes } = archive;
  if (files === 0) return null;
  if (!fits) {
    return (
      <p className={classes.archive}>
        {t('archive.tooMuch', { count: mostFiles, size: format.bytes(mostBytes) })}
      </p>
    );
  }
  return (
    <p className={classes.archive}>
      <Button
        component="a"
        href={`/files/library.zip${libraryQuery(filter)}`}
        variant="default"
        size="compact-sm"
        leftSection={<FolderDown size={15} aria-hidden />}
      >
        {t('archive.all', { count: files, size: format.bytes(bytes) })}
      </Button>
    </p>
  );
}
