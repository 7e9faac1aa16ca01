import { ActionIcon, Button, CloseButton, Modal } from '@mantine/core';
import { Link } from '@remix-run/react';
import { ChevronLeft, ChevronRight, Download, Info, Star } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import type { LibraryItem } from '#server/library/schemas.ts';
import { tileName } from './library-tile.tsx';
import { OutputStage } from './output-stage.tsx';
import classes from './viewer.module.css';

type LibraryViewerProps = {
  items: readonly LibraryItem[];
  openId: string;
  hrefOf: (id: string) => string;
  /** Another file, or null to close. */
  onChange: (id: string | null) => void;
  /** Undefined where stars are not offered. */
  onStar: ((item: LibraryItem) => void) | undefined;
};

/** A file over the whole page. Arrow keys go on and back, Escape closes and gives the focus back. */
export default function LibraryViewer({ items, openId, hrefOf, onChange, onStar }: LibraryViewerProps) {
  const t = useT(libraryTexts);
  const index = items.findIndex(({ id }) => id === openId);
  const item = items[index];
  const step = (by: number) => {
    const next = items[index + by];
    if (next) onChange(next.id);
  };

  return (
    // Its parts instead of `Modal`: that one's <header> would be a second banner of the page.
    <Modal.Root
      opened={item !== undefined}
      onClose={() => onChange(null)}
      fullScreen
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') step(1);
        if (event.key === 'ArrowLeft') step(-1);
      }}
    >
      <Modal.Overlay />
      <Modal.Content className={classes.dialog} aria-label={t('viewer.label')}>
        <Modal.Body className={classes.dialogBody}>
          {item ? (
            <>
              <div className={classes.dialogHead}>
                <p className={classes.dialogTitle}>{item.prompt}</p>
                <CloseButton
                  size="lg"
                  aria-label={t('viewer.close')}
                  onClick={() => onChange(null)}
                  data-autofocus
                />
              </div>
              <div className={classes.stage}>
                <OutputStage key={item.id} file={item} name={tileName(t(`kind.${item.kind}`), item)} />
              </div>
              <div className={classes.dialogBar}>
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={t('viewer.previous')}
                  disabled={index === 0}
                  onClick={() => step(-1)}
                >
                  <ChevronLeft size={18} aria-hidden />
                </ActionIcon>
                <span className={classes.place} aria-live="polite">
                  {t('viewer.place', { index: index + 1, count: items.length })}
                </span>
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={t('viewer.next')}
                  disabled={index === items.length - 1}
                  onClick={() => step(1)}
                >
                  <ChevronRight size={18} aria-hidden />
                </ActionIcon>
                {onStar ? (
                  <ActionIcon
                    variant="default"
                    size="lg"
                    aria-label={item.isFavorite ? t('viewer.unfavorite') : t('viewer.favorite')}
                    aria-pressed={item.isFavorite}
                    onClick={() => onStar(item)}
                    className={classes.star}
                  >
                    <Star size={18} aria-hidden />
                  </ActionIcon>
                ) : null}
                <Button
                  component="a"
                  href={`${item.url}?download=1`}
                  variant="default"
                  leftSection={<Download size={16} aria-hidden />}
                >
                  {t('viewer.download')}
                </Button>
                <Button
                  component={Link}
                  to={hrefOf(item.id)}
                  variant="default"
                  leftSection={<Info size={16} aria-hidden />}
                >
                  {t('viewer.details')}
                </Button>
              </div>
            </>
          ) : null}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
