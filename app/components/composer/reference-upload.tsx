import { ActionIcon, Loader, Text } from '@mantine/core';
import { FileText, ImagePlus, TriangleAlert, X } from 'lucide-react';
import { type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { formatBytes } from '#app/lib/format.ts';
import type { ReferenceRole } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import { describeRoles, roleLabel, roleOf } from './reference-roles.ts';
import type { Upload } from './use-uploads.ts';

type ReferenceUploadProps = {
  uploads: readonly Upload[];
  limit: number;
  /** What each file is for, by its place. */
  roles: readonly ReferenceRole[];
  /** What could not be taken, or what the server says of the references. */
  error: string | null;
  onAdd: (files: File[]) => void;
  onRemove: (key: number) => void;
};

/** Reference files: chosen, dropped here, or pasted into the prompt; each with its preview and state. */
export function ReferenceUpload({ uploads, limit, roles, error, onAdd, onRemove }: ReferenceUploadProps) {
  const [over, setOver] = useState(false);
  const inputRef = useRef<HTMLInputElement>(null);
  const hydrated = useHydrated();
  const id = useId();
  const full = uploads.length >= limit;
  const { label, hint } = describeRoles(roles, limit);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onAdd([...event.dataTransfer.files]);
  };

  return (
    <div>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <Text size="xs" c="dimmed" id={`${id}-hint`} mb={6}>
        {hint} Choose, drop or paste.
      </Text>
      <noscript>
        <Text size="xs">Adding files needs JavaScript.</Text>
      </noscript>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the input does the same */}
      <div
        className={classes.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {uploads.map((upload, index) => (
          <UploadTile
            key={upload.key}
            upload={upload}
            label={roleLabel(roles, index)}
            caption={roleOf(roles, index) === 'reference' ? null : roleLabel(roles, index)}
            onRemove={() => onRemove(upload.key)}
          />
        ))}
        {uploads
          .flatMap(({ key, state }) => (state.type === 'done' ? [{ key, id: state.id }] : []))
          .map((done, index) => (
            <input key={done.key} type="hidden" name={`references[${index}]`} value={done.id} />
          ))}
        <span className={classes.add} data-full={full || undefined}>
          <input
            ref={inputRef}
            id={id}
            type="file"
            multiple={limit > 1}
            disabled={full || !hydrated}
            aria-describedby={`${id}-hint ${id}-error`}
            onChange={(event) => {
              onAdd([...(event.currentTarget.files ?? [])]);
              // The same file may be chosen again after it was removed.
              event.currentTarget.value = '';
            }}
          />
          <ImagePlus size={20} strokeWidth={1.5} aria-hidden />
        </span>
      </div>
      <p id={`${id}-error`} className={classes.fieldError} aria-live="polite">
        {error}
      </p>
    </div>
  );
}

type UploadTileProps = {
  upload: Upload;
  /** What the file is for, in words. */
  label: string;
  /** The same below the picture, where places differ. */
  caption: string | null;
  onRemove: () => void;
};

function UploadTile({ upload, label, caption, onRemove }: UploadTileProps) {
  const failed = upload.state.type === 'failed' ? upload.state.message : null;
  return (
    <div className={classes.upload} data-failed={failed ? true : undefined} title={failed ?? upload.name}>
      {upload.previewUrl ? (
        <img src={upload.previewUrl} alt={`${label}: ${upload.name}`} />
      ) : (
        <span className={classes.file}>
          <FileText size={18} aria-hidden />
          <span>{upload.name}</span>
        </span>
      )}
      {caption ? <span className={classes.caption}>{caption}</span> : null}
      {upload.state.type === 'uploading' ? (
        <span className={classes.uploadState} role="status" aria-label={`Uploading ${upload.name}`}>
          <Loader size={18} color="gray.0" />
        </span>
      ) : null}
      {failed ? (
        <span className={classes.uploadState} role="alert">
          <TriangleAlert size={18} aria-hidden />
          <span className={classes.hidden}>
            {upload.name}: {failed}
          </span>
        </span>
      ) : null}
      <ActionIcon
        variant="filled"
        color="dark"
        size={22}
        radius="xl"
        className={classes.removeUpload}
        aria-label={`Remove ${upload.name} (${formatBytes(upload.bytes)})`}
        onClick={onRemove}
      >
        <X size={13} aria-hidden />
      </ActionIcon>
    </div>
  );
}

function useHydrated(): boolean {
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  return hydrated;
}
