import { Link } from '@remix-run/react';
import { FileText, Film, Music, Star } from 'lucide-react';
import { memo } from 'react';
import { shorten } from '#app/components/media/output-player.tsx';
import { formatDuration } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import type { LibraryItem } from '#server/library/schemas.ts';
import classes from './library.module.css';

type LibraryTileProps = {
  item: LibraryItem;
  href: string;
  chosen: boolean;
  /** Not offered in the trash. */
  withStar: boolean;
  onChoose: (id: string, chosen: boolean) => void;
  /** Opens it over the page; without a script, and with a modifier key, the link opens its own page. */
  onOpen: (id: string, link: HTMLElement) => void;
};

/** One file in the grid: its picture, a box to choose it, and its star. */
export const LibraryTile = memo(function LibraryTile({
  item,
  href,
  chosen,
  withStar,
  onChoose,
  onOpen,
}: LibraryTileProps) {
  const t = useT(libraryTexts);
  const name = tileName(t(`kind.${item.kind}`), item);
  const starName = item.isFavorite ? t('tile.unfavorite', { name }) : t('tile.favorite', { name });
  return (
    <li className={classes.tile} data-chosen={chosen || undefined}>
      <Link
        to={href}
        className={classes.tileLink}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
          event.preventDefault();
          onOpen(item.id, event.currentTarget);
        }}
      >
        <span className={classes.hidden}>{t('tile.open', { name })}</span>
        <TilePicture item={item} />
      </Link>
      <input
        type="checkbox"
        name="output"
        value={item.id}
        aria-label={t('tile.select', { name })}
        checked={chosen}
        onChange={(event) => onChoose(item.id, event.currentTarget.checked)}
        className={classes.tileCheck}
      />
      {withStar ? (
        <button
          type="submit"
          name="intent"
          value={`${item.isFavorite ? 'unfavorite' : 'favorite'}:${item.id}`}
          className={classes.tileStar}
          data-on={item.isFavorite || undefined}
          aria-label={starName}
          title={starName}
        >
          <Star size={16} aria-hidden />
        </button>
      ) : null}
      <div className={classes.tileFoot}>
        <span className={classes.tilePrompt}>{shorten(item.prompt, 90)}</span>
        <span className={classes.tileModel}>
          {item.model.title}
          {item.madeBy === 'own' ? '' : ` · ${t(`tile.madeBy.${item.madeBy}`)}`}
        </span>
      </div>
    </li>
  );
});

/** What a screen reader says of a file. */
export function tileName(kind: string, item: Pick<LibraryItem, 'prompt' | 'ordinal'>): string {
  const number = item.ordinal > 0 ? ` ${item.ordinal + 1}` : '';
  return `${kind}${number}: ${shorten(item.prompt, 80)}`;
}

function TilePicture({ item }: { item: LibraryItem }) {
  const source = item.previewUrl ?? (item.kind === 'image' ? item.url : null);
  const length = item.durationMs === null ? null : formatDuration(item.durationMs);
  return (
    // The link's words say what it is.
    <span className={classes.tilePicture} data-kind={item.kind} aria-hidden="true">
      {source ? (
        <img
          src={source}
          alt=""
          width={item.width ?? 512}
          height={item.height ?? 512}
          loading="lazy"
          decoding="async"
        />
      ) : item.kind === 'text' ? (
        <span className={classes.tileText}>
          <FileText size={20} strokeWidth={1.5} aria-hidden />
          {shorten(item.prompt, 140)}
        </span>
      ) : item.kind === 'audio' ? (
        <Music size={30} strokeWidth={1.25} aria-hidden />
      ) : (
        <Film size={30} strokeWidth={1.25} aria-hidden />
      )}
      {item.kind === 'video' || item.kind === 'audio' ? (
        <span className={classes.tileLength}>
          {item.kind === 'video' ? <Film size={12} aria-hidden /> : <Music size={12} aria-hidden />}
          {length}
        </span>
      ) : null}
    </span>
  );
}
