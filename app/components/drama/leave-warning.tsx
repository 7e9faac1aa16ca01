import { Button, Group, Modal, Text } from '@mantine/core';
import { useBeforeUnload, useBlocker } from '@remix-run/react';
import { useCallback } from 'react';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';

/** Asks before a page with unsaved changes is left, by a link or by the browser. */
export function LeaveWarning({ isDirty }: { isDirty: boolean }) {
  const t = useT(dramaTexts);
  useBeforeUnload(
    useCallback(
      (event) => {
        if (isDirty) event.preventDefault();
      },
      [isDirty],
    ),
  );
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isDirty && currentLocation.pathname !== nextLocation.pathname,
  );
  const stay = () => blocker.reset?.();
  return (
    <Modal opened={blocker.state === 'blocked'} onClose={stay} title={t('leave.title')} centered>
      <Text size="sm">{t('leave.text')}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={stay} data-autofocus>
          {t('leave.stay')}
        </Button>
        <Button color="red.9" onClick={() => blocker.proceed?.()}>
          {t('leave.leave')}
        </Button>
      </Group>
    </Modal>
  );
}
