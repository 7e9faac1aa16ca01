import { ActionIcon, FileInput, Loader } from '@mantine/core';
import { Music, X } from 'lucide-react';
import { type SendFile, useUploads } from '#app/components/composer/use-uploads.ts';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { formatBytes } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import classes from './composer.module.css';

type MusicUploadProps = {
  sendFile: SendFile;
  /** What the server says of it. */
  error: string | undefined;
  /** Told while a file is on its way or was refused: the form then has to wait. */
  onBlock: (isBlocked: boolean) => void;
};

/** One piece of music below the voices. It is made quieter while somebody speaks. */
export function MusicUpload({ sendFile, error, onBlock }: MusicUploadProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const { uploads, add, remove } = useUploads(async (file, signal) => {
    onBlock(true);
    const id = await sendFile(file, signal);
    onBlock(false);
    return id;
  }, 1);
  const [upload] = uploads;
  const failed = upload?.state.type === 'failed' ? upload.state.message : undefined;
  if (!upload) {
    return (
      <FileInput
        label={t('music.label')}
        description={t('music.hint')}
        placeholder={t('music.choose')}
        leftSection={<Music size={16} aria-hidden />}
        accept="audio/*"
        value={null}
        error={error}
        onChange={(file) => {
          if (file) add([file]);
        }}
      />
    );
  }
  return (
    <section aria-label={t('music.label')}>
      <p className={classes.label}>{t('music.label')}</p>
      <div className={classes.music} data-failed={failed ? true : undefined}>
        <Music size={16} aria-hidden />
        <span>
          {upload.name} ({formatBytes(upload.bytes)})
        </span>
        {upload.state.type === 'uploading' ? (
          <span role="status" aria-label={t('music.uploading', { name: upload.name })}>
            <Loader size={16} />
          </span>
        ) : null}
        <ActionIcon
          variant="default"
          size={32}
          aria-label={t('music.remove', { name: upload.name })}
          onClick={() => {
            remove(upload.key);
            onBlock(false);
          }}
        >
          <X size={15} aria-hidden />
        </ActionIcon>
      </div>
      {upload.state.type === 'done' ? <input type="hidden" name="music" value={upload.state.id} /> : null}
      {(failed ?? error) ? (
        <p role="alert" className={classes.error}>
          {words(failed) ?? error}
        </p>
      ) : null}
    </section>
  );
}
