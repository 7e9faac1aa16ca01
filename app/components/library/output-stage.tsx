import { Music } from 'lucide-react';
import { useState } from 'react';
import { TextExcerpt } from '#app/components/media/text-excerpt.tsx';
import type { Kind } from '#server/generation/status.ts';
import classes from './viewer.module.css';
import { FIT, type Zoom, ZoomStage } from './zoom-stage.tsx';

/** Of a text, what is shown at most, in bytes. */
const TEXT_BYTES = 400_000;

type StagedFile = {
  kind: Kind;
  url: string;
  previewUrl: string | null;
  bytes: number;
  width: number | null;
  height: number | null;
};

type OutputStageProps = {
  file: StagedFile;
  name: string;
  /** Given by a comparison, whose pictures move together. */
  zoom?: { value: Zoom; onChange: (zoom: Zoom) => void };
};

/** One file as large as its place allows: a picture to zoom, a player, or a text to read. */
export function OutputStage({ file, name, zoom }: OutputStageProps) {
  const [own, setOwn] = useState(FIT);
  switch (file.kind) {
    case 'image':
      return (
        <ZoomStage
          src={file.url}
          alt={name}
          width={file.width}
          height={file.height}
          zoom={zoom?.value ?? own}
          onZoom={zoom?.onChange ?? setOwn}
        />
      );
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: vendors send none; a drama's film is shown with its own on its page
        <video
          controls
          playsInline
          preload="metadata"
          src={file.url}
          poster={file.previewUrl ?? undefined}
          width={file.width ?? undefined}
          height={file.height ?? undefined}
          aria-label={name}
          className={classes.video}
          // The player's own keys are not the viewer's.
          onKeyDown={(event) => event.stopPropagation()}
        />
      );
    case 'audio':
      return (
        <div className={classes.audio}>
          <Music size={56} strokeWidth={1} aria-hidden />
          {/* biome-ignore lint/a11y/useMediaCaption: vendors send none with a sound */}
          <audio
            controls
            preload="metadata"
            src={file.url}
            aria-label={name}
            onKeyDown={(event) => event.stopPropagation()}
          />
        </div>
      );
    case 'text':
      return (
        <div className={classes.text}>
          <TextExcerpt url={file.url} bytes={file.bytes} limit={TEXT_BYTES} name={name} scrolls />
        </div>
      );
  }
}
