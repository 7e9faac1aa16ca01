import { Button, Group, Text } from '@mantine/core';
import { BellOff, BellRing } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Panel } from '#app/components/ui/panel.tsx';
import {
  allowBrowserNotifications,
  type BrowserNotifications,
  readBrowserNotifications,
  stopBrowserNotifications,
} from '#app/lib/browser-notifications.ts';
import { useT } from '#app/lib/language.tsx';
import { notificationsTexts } from '#app/locales/notifications.ts';

/** Lets the browser show what happens while the page is in the background. Nothing is asked before the button is pressed. */
export function BrowserPanel() {
  const t = useT(notificationsTexts);
  const [state, setState] = useState<BrowserNotifications | null>(null);
  useEffect(() => setState(readBrowserNotifications()), []);
  return (
    <Panel title={t('browser.title')} id="browser-notifications" description={t('browser.help')}>
      <Group role="status">
        <Said state={state} />
        {state === 'off' ? (
          <Button
            variant="default"
            leftSection={<BellRing size={16} aria-hidden="true" />}
            onClick={async () => setState(await allowBrowserNotifications())}
          >
            {t('browser.on')}
          </Button>
        ) : null}
        {state === 'on' ? (
          <Button
            variant="default"
            leftSection={<BellOff size={16} aria-hidden="true" />}
            onClick={() => setState(stopBrowserNotifications())}
          >
            {t('browser.off')}
          </Button>
        ) : null}
      </Group>
    </Panel>
  );
}

function Said({ state }: { state: BrowserNotifications | null }) {
  const t = useT(notificationsTexts);
  const words: Partial<Record<BrowserNotifications, string>> = {
    missing: t('browser.missing'),
    denied: t('browser.denied'),
    on: t('browser.isOn'),
  };
  const text = state === null ? t('browser.needsScript') : words[state];
  return text ? <Text size="sm">{text}</Text> : null;
}
