import { ActionIcon } from '@mantine/core';
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

/** How far an upload is, as a ring that closes. */
function Ring({ percent }: { percent: number }) {
  const circle = { cx: 20, cy: 20, r: 16, fill: 'none', stroke: '#fff', strokeWidth: 4, pathLength: 100 };
  return (
    <svg viewBox="0 0 40 40" width={40} height={40} aria-hidden="true">
      <circle {...circle} strokeOpacity={0.3} />
      <circle
        {...circle}
        strokeDasharray={`${percent} 100`}
        strokeLinecap="round"
        transform="rotate(-90 20 20)"
      />
    </svg>
  );
}

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
          <Ring percent={state.percent ?? 4} />
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
