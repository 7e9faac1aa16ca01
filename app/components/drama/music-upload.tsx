import { ActionIcon, FileInput, Loader } from '@mantine/core';
import { Music, X } from 'lucide-react';
import { type SendFile, useUploads } from '#app/components/composer/use-uploads.ts';
import { formatBytes } from '#app/lib/format.ts';
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
        label="Music"
        description="Under the whole film, quieter while somebody speaks. Optional."
        placeholder="Choose a sound file"
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
    <section aria-label="Music">
      <p className={classes.label}>Music</p>
      <div className={classes.music} data-failed={failed ? true : undefined}>
        <Music size={16} aria-hidden />
        <span>
          {upload.name} ({formatBytes(upload.bytes)})
        </span>
        {upload.state.type === 'uploading' ? (
          <span role="status" aria-label={`Uploading ${upload.name}`}>
            <Loader size={16} />
          </span>
        ) : null}
        <ActionIcon
          variant="default"
          size={32}
          aria-label={`Remove ${upload.name}`}
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
          {failed ?? error}
        </p>
      ) : null}
    </section>
  );
}
