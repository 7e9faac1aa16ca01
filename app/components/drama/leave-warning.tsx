import { Button, Group, Modal, Text } from '@mantine/core';
import { useBeforeUnload, useBlocker } from '@remix-run/react';
import { useCallback } from 'react';

/** Asks before a page with unsaved changes is left, by a link or by the browser. */
export function LeaveWarning({ isDirty }: { isDirty: boolean }) {
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
    <Modal opened={blocker.state === 'blocked'} onClose={stay} title="Leave without saving?" centered>
      <Text size="sm">The storyboard has changes that are not saved. They are lost when you leave.</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={stay} data-autofocus>
          Stay
        </Button>
        <Button color="red.9" onClick={() => blocker.proceed?.()}>
          Leave
        </Button>
      </Group>
    </Modal>
  );
}
