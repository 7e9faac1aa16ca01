import { Badge, Button, Group, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { describeUserAgent } from '#app/lib/user-agent.ts';
import { accountTexts } from '#app/locales/account.ts';
import type { SessionView } from '#server/auth/schemas.ts';

/** Where the account is signed in, and the way to end each. */
export function SessionsPanel({ sessions }: { sessions: readonly SessionView[] }) {
  const t = useT(accountTexts);
  const others = sessions.filter((session) => !session.current).length;
  return (
    <Panel
      title={t('sessions.panel')}
      id="signed-in"
      flush
      actions={
        others > 0 ? (
          <ActionForm intent="revoke-others">
            <ConfirmButton
              variant="default"
              size="xs"
              confirmLabel={t('sessions.endOthersConfirm', { count: others })}
            >
              {t('sessions.endOthers')}
            </ConfirmButton>
          </ActionForm>
        ) : null
      }
    >
      <ActionErrors intents={['revoke-session', 'revoke-others']} />
      <DataTable
        label={t('sessions.table')}
        rows={sessions}
        rowKey={(session) => session.id}
        columns={[
          {
            head: t('sessions.browser'),
            cell: (session) => <SessionName session={session} />,
            primary: true,
          },
          { head: t('sessions.since'), cell: (session) => <TimeAgo at={session.createdAt} /> },
          { head: t('sessions.ends'), cell: (session) => <TimeAgo at={session.expiresAt} /> },
          { head: t('sessions.end'), align: 'end', cell: (session) => <EndSession session={session} /> },
        ]}
      />
    </Panel>
  );
}

function SessionName({ session }: { session: SessionView }) {
  const t = useT(accountTexts);
  return (
    <Group gap="xs">
      <Text span fw={600}>
        {describeUserAgent(session.userAgent, t)}
      </Text>
      {session.current ? <Badge variant="default">{t('sessions.this')}</Badge> : null}
    </Group>
  );
}

function EndSession({ session }: { session: SessionView }) {
  const t = useT(accountTexts);
  if (session.current) {
    return (
      <Form method="post" action="/logout">
        <Button type="submit" variant="default" size="xs">
          {t('settings.signOut')}
        </Button>
      </Form>
    );
  }
  return (
    <ActionForm intent="revoke-session" values={{ sessionId: session.id }}>
      <ConfirmButton
        variant="default"
        size="xs"
        confirmLabel={t('sessions.endIt')}
        aria-label={t('sessions.endLabel', { browser: describeUserAgent(session.userAgent, t) })}
      >
        {t('sessions.end')}
      </ConfirmButton>
    </ActionForm>
  );
}
