import { Stack, Text } from '@mantine/core';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { notificationsTexts } from '#app/locales/notifications.ts';

/** What a receiver does with a call; it needs nothing but Node.js. */
const RECEIVER = `import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the bytes as they came, before any JSON parser.
export function isFromSidelane(headers, rawBody, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(sentAt)) > 300) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${sentAt}.\`).update(rawBody).digest();
  return signatures.split(' ').some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

/** The secret, at the only time that it is known, and how to use it. */
export function SecretNotice({ secret, kind }: { secret: string; kind: 'ready' | 'rotated' }) {
  const t = useT(notificationsTexts);
  return (
    <Notice title={t(`webhooks.${kind}`)}>
      <Stack gap="xs">
        <Text size="sm">{kind === 'ready' ? t('webhooks.copyNow') : t('webhooks.rotatedHelp')}</Text>
        <CopyField label={t('webhooks.secret')} value={secret} />
        <details>
          <summary>{t('webhooks.verify')}</summary>
          <CodeBlock label="TypeScript / JavaScript" value={RECEIVER} />
        </details>
      </Stack>
    </Notice>
  );
}
