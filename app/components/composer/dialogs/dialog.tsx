import { CloseButton, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useT } from '#app/lib/language.tsx';
import { promptTexts } from '#app/locales/prompts.ts';
import classes from './dialog.module.css';

type DialogProps = { title: string; onClose: () => void; children: ReactNode };

/** A dialog around the prompt; fills a phone. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const t = useT(promptTexts);
  const isPhone = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
  return (
    // Its parts instead of `Modal`: that one's <header> would be a second banner of the page.
    <Modal.Root opened onClose={onClose} fullScreen={isPhone} size="lg">
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <div className={classes.head}>
          <h2 className={classes.title}>{title}</h2>
          <CloseButton aria-label={t('dialog.close')} size="lg" onClick={onClose} />
        </div>
        <Modal.Body className={classes.body}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
