import { ActionIcon, Button, CloseButton, Group, Modal, Text } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { OutputView } from '#server/generation/schemas.ts';
import classes from './media.module.css';

export type LightboxProps = {
  /** Images only. */
  images: readonly OutputView[];
  /** Which one is shown; null when closed. */
  index: number | null;
  alt: string;
  onChange: (index: number | null) => void;
};

/** An image at its full size over the page. Arrow keys go on and back, Escape closes and gives the focus back. */
export default function Lightbox({ images, index, alt, onChange }: LightboxProps) {
  const t = useT(tasksTexts);
  // It comes up with a picture to show; the focus is given back only by what was seen to open.
  const mounted = useMounted();
  const image = index === null ? undefined : images[index];
  const step = (by: number) => {
    if (index !== null) onChange((index + by + images.length) % images.length);
  };

  return (
    // Its parts instead of `Modal`: that one's <header> would be a second banner of the page.
    <Modal.Root
      opened={mounted && image !== undefined}
      onClose={() => onChange(null)}
      fullScreen
      onKeyDown={(event) => {
        if (images.length < 2) return;
        if (event.key === 'ArrowRight') step(1);
        if (event.key === 'ArrowLeft') step(-1);
      }}
    >
      <Modal.Overlay />
      <Modal.Content className={classes.lightbox} aria-label={alt}>
        <Modal.Body className={classes.lightboxBody}>
          <div className={classes.lightboxHead}>
            <Text component="span" size="sm" lineClamp={1}>
              {alt}
            </Text>
            <CloseButton aria-label={t('lightbox.close')} size="lg" onClick={() => onChange(null)} />
          </div>
          {image ? (
            <>
              <div className={classes.lightboxStage}>
                <img
                  src={image.url}
                  alt={
                    images.length > 1
                      ? t('lightbox.alt', { alt, number: image.ordinal + 1, count: images.length })
                      : alt
                  }
                  width={image.width ?? undefined}
                  height={image.height ?? undefined}
                  className={classes.lightboxImage}
                />
              </div>
              <Group justify="center" gap="xs" className={classes.lightboxBar}>
                {images.length > 1 ? (
                  <>
                    <ActionIcon
                      variant="default"
                      size="lg"
                      aria-label={t('lightbox.before')}
                      onClick={() => step(-1)}
                    >
                      <ChevronLeft size={18} aria-hidden />
                    </ActionIcon>
                    <Text size="sm" aria-live="polite">
                      {t('lightbox.count', { number: (index ?? 0) + 1, count: images.length })}
                    </Text>
                    <ActionIcon
                      variant="default"
                      size="lg"
                      aria-label={t('lightbox.next')}
                      onClick={() => step(1)}
                    >
                      <ChevronRight size={18} aria-hidden />
                    </ActionIcon>
                  </>
                ) : null}
                <Button
                  component="a"
                  href={`${image.url}?download=1`}
                  variant="default"
                  leftSection={<Download size={16} aria-hidden />}
                >
                  {t('output.download')}
                </Button>
              </Group>
            </>
          ) : null}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
