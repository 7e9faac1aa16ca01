import { ActionIcon, RingProgress } from '@mantine/core';
import {
  ChevronLeft,
  ChevronRight,
  FileText,
  type LucideIcon,
  RotateCw,
  TriangleAlert,
  X,
} from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import classes from './composer.module.css';
import type { Upload } from './use-uploads.ts';

type UploadTileProps = {
  upload: Upload;
  /** What the file is for, in words. */
  label: string;
  /** The same below the picture, where places differ. */
  caption: string | null;
  onRemove: () => void;
  onRetry: () => void;
  /** Null at the start and at the end. */
  onEarlier: (() => void) | null;
  onLater: (() => void) | null;
};

/** One reference file: picture or name, how far its upload is, and what can be done with it. */
export function UploadTile({ upload, label, caption, ...deeds }: UploadTileProps) {
  const t = useT(workbenchTexts);
  const format = useFormat();
  const { name, state } = upload;
  const failed = state.type === 'failed' ? (state.message ?? t('references.uploadFailed')) : null;
  return (
    <div className={classes.upload} data-failed={failed ? true : undefined} title={failed ?? name}>
      {upload.previewUrl ? (
        <img
          src={upload.previewUrl}
          alt={t('references.alt', { role: label, name })}
          width={72}
          height={72}
          decoding="async"
        />
      ) : (
        <span className={classes.file}>
          <FileText size={18} aria-hidden />
          <span>{name}</span>
        </span>
      )}
      {caption ? <span className={classes.caption}>{caption}</span> : null}
      {state.type === 'uploading' ? (
        <span className={classes.uploadState} role="status" aria-label={t('references.uploading', { name })}>
          <RingProgress
            size={40}
            thickness={4}
            roundCaps
            rootColor="rgb(255 255 255 / 30%)"
            sections={[{ value: state.percent ?? 4, color: 'white' }]}
            aria-hidden
          />
        </span>
      ) : null}
      {failed ? (
        <span className={classes.uploadState}>
          <span role="alert">
            <TriangleAlert size={18} aria-hidden />
            <span className={classes.hidden}>
              {name}: {failed}
            </span>
          </span>
          <TileButton
            Icon={RotateCw}
            label={t('references.retry', { name })}
            className={classes.retryUpload}
            onClick={deeds.onRetry}
          />
        </span>
      ) : null}
      {deeds.onEarlier ? (
        <TileButton
          Icon={ChevronLeft}
          label={t('references.earlier', { name })}
          className={classes.moveEarlier}
          onClick={deeds.onEarlier}
        />
      ) : null}
      {deeds.onLater ? (
        <TileButton
          Icon={ChevronRight}
          label={t('references.later', { name })}
          className={classes.moveLater}
          onClick={deeds.onLater}
        />
      ) : null}
      <TileButton
        Icon={X}
        label={t('references.remove', { name, size: format.bytes(upload.bytes) })}
        className={classes.removeUpload}
        onClick={deeds.onRemove}
      />
    </div>
  );
}

type TileButtonProps = {
  Icon: LucideIcon;
  label: string;
  className: string | undefined;
  onClick: () => void;
};

function TileButton({ Icon, label, className, onClick }: TileButtonProps) {
  return (
    <ActionIcon
      variant="filled"
      color="dark"
      size={24}
      radius="xl"
      className={className}
      aria-label={label}
      onClick={onClick}
    >
      <Icon size={14} aria-hidden />
    </ActionIcon>
  );
}
