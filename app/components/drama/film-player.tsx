import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import { DRAMA_SIZES, type DramaView } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';

type Film = NonNullable<DramaView['film']>;
type FilmPlayerProps = {
  film: Film;
  /** What the player is called, for screen readers. */
  title: string;
  settings: Pick<DramaView['settings'], 'ratio' | 'captions'>;
};

/** The finished film. Captions that are not drawn into the picture can be switched on in the player. */
export function FilmPlayer({ film, title, settings }: FilmPlayerProps) {
  const t = useT(dramaTexts);
  const format = useFormat();
  const [width, height] = DRAMA_SIZES[settings.ratio];
  const track = settings.captions === 'burnt' ? null : film.captions;
  return (
    <figure className={classes.film}>
      {/* biome-ignore lint/a11y/useMediaCaption: the track is left out only where captions are drawn into the picture, or there are none */}
      <video
        controls
        playsInline
        preload="metadata"
        poster={film.posterUrl ?? undefined}
        src={film.videoUrl}
        width={width}
        height={height}
        className={classes.player}
        style={{ aspectRatio: `${width} / ${height}`, maxWidth: `calc(78dvh * ${width / height})` }}
        aria-label={title}
      >
        {track ? (
          <track
            kind="captions"
            label={t('film.captions')}
            src={track.vttUrl}
            default={settings.captions === 'soft'}
          />
        ) : null}
      </video>
      <figcaption className={classes.dim}>
        {t('film.facts', {
          length: format.duration(film.seconds * 1000),
          size: `${width} × ${height}`,
          captions: t(`captionsIn.${settings.captions}`),
        })}
      </figcaption>
    </figure>
  );
}

/** Everything that can be taken away. */
export function FilmDownloads({ film, zipUrl }: { film: Film | null; zipUrl: string | null }) {
  const t = useT(dramaTexts);
  const files = [
    film ? { label: t('film.mp4'), url: attached(film.videoUrl) } : null,
    film?.posterUrl ? { label: t('film.poster'), url: attached(film.posterUrl) } : null,
    film?.captions ? { label: t('film.srt'), url: attached(film.captions.srtUrl) } : null,
    film?.captions ? { label: t('film.vtt'), url: attached(film.captions.vttUrl) } : null,
    zipUrl ? { label: t('film.zip'), url: zipUrl } : null,
  ].filter((file) => file !== null);
  if (files.length === 0) return null;
  return (
    <ul className={classes.downloads} aria-label={t('film.downloads')}>
      {files.map(({ label, url }) => (
        <li key={label}>
          <Button
            component="a"
            href={url}
            download
            variant="default"
            size="compact-md"
            leftSection={<Download size={15} aria-hidden />}
          >
            {label}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const attached = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}download=1`;
