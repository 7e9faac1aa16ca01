import { Text } from '@mantine/core';
import { ImagePlus } from 'lucide-react';
import { type DragEvent, useId, useState } from 'react';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ReferenceRole } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import { keepsFirstPlace } from './first-frame.ts';
import { describeRoles, roleLabel, roleOf } from './reference-roles.ts';
import { UploadTile } from './upload-tile.tsx';
import type { Uploads } from './use-uploads.ts';

type ReferenceUploadProps = {
  files: Uploads;
  limit: number;
  /** What each file is for, by its place. */
  roles: readonly ReferenceRole[];
  /** What the form says of the references. */
  error: string | null;
};

/** Reference files: chosen, dropped here, or pasted into the prompt; each with its preview, state and place. */
export function ReferenceUpload({ files, limit, roles, error }: ReferenceUploadProps) {
  const t = useT(workbenchTexts);
  const [over, setOver] = useState(false);
  const hydrated = useHydrated();
  const words = useErrorWords();
  const id = useId();
  const { uploads } = files;
  const gap = keepsFirstPlace(roles) ? files.gap : 0;
  const full = uploads.length >= limit;
  const { label, hint } = describeRoles(t, roles, limit);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    // The form around it takes files too.
    event.stopPropagation();
    setOver(false);
    files.add([...event.dataTransfer.files]);
  };

  return (
    <div>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <Text size="xs" c="dimmed" id={`${id}-hint`} mb={6}>
        {hint} {t('references.how')}
      </Text>
      <noscript>
        <Text size="xs">{t('references.noScript')}</Text>
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
        {gap > 0 ? (
          <span className={classes.gap} aria-hidden="true">
            {roleLabel(t, roles, 0)}
          </span>
        ) : null}
        {uploads.map((upload, index) => (
          <UploadTile
            key={upload.key}
            upload={upload}
            label={roleLabel(t, roles, index + gap)}
            caption={roleOf(roles, index + gap) === 'reference' ? null : roleLabel(t, roles, index + gap)}
            onRemove={() => files.remove(upload.key)}
            onRetry={() => files.retry(upload.key)}
            onEarlier={index + gap > 0 ? () => files.move(upload.key, -1) : null}
            onLater={index < uploads.length - 1 ? () => files.move(upload.key, 1) : null}
          />
        ))}
        {gap > 0 ? <input type="hidden" name="references[0]" value="" /> : null}
        {uploads
          .flatMap(({ key, state }) => (state.type === 'done' ? [{ key, id: state.id }] : []))
          .map((done, index) => (
            <input key={done.key} type="hidden" name={`references[${index + gap}]`} value={done.id} />
          ))}
        <span className={classes.add} data-full={full || undefined}>
          <input
            id={id}
            type="file"
            multiple={limit > 1}
            disabled={full || !hydrated}
            aria-describedby={`${id}-hint ${id}-error`}
            onChange={(event) => {
              files.add([...(event.currentTarget.files ?? [])]);
              // The same file may be chosen again after it was removed.
              event.currentTarget.value = '';
            }}
          />
          <ImagePlus size={20} strokeWidth={1.5} aria-hidden />
        </span>
      </div>
      <p id={`${id}-error`} className={classes.fieldError} aria-live="polite">
        {messageOf(files) ?? (gap > 0 ? t('references.firstMissing') : error)}
      </p>
    </div>
  );

  function messageOf({ refused }: Uploads): string | null {
    if (refused) return t('references.most', { count: limit });
    const failed = uploads.find(({ state }) => state.type === 'failed')?.state;
    return failed?.type === 'failed'
      ? failed.message
        ? words([failed.message])
        : t('references.uploadFailed')
      : null;
  }
}
