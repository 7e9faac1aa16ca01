import { Badge, Group, Text } from '@mantine/core';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { describeUserAgent } from '#app/lib/user-agent.ts';
import type { SessionView } from '#server/auth/schemas.ts';

/** Where the account is signed in, and the way to end each. */
export function SessionsPanel({ sessions }: { sessions: readonly SessionView[] }) {
  const others = sessions.filter((session) => !session.current).length;
  return (
    <Panel
      title="Sessions"
      description="Browsers that are signed in to your account. End any that you do not know."
      flush
      actions={
        others > 0 ? (
          <ActionForm intent="revoke-others">
            <ConfirmButton variant="default" size="xs" confirmLabel={`End ${others}`}>
              End all others
            </ConfirmButton>
          </ActionForm>
        ) : null
      }
    >
      <ActionErrors intents={['revoke-session', 'revoke-others']} />
      <DataTable
        label="Sessions"
        rows={sessions}
        rowKey={(session) => session.id}
        columns={[
          { head: 'Browser', cell: (session) => <SessionName session={session} />, primary: true },
          { head: 'Signed in', cell: (session) => <TimeAgo at={session.createdAt} /> },
          { head: 'Ends', cell: (session) => <TimeAgo at={session.expiresAt} /> },
          { head: 'End', align: 'end', cell: (session) => <EndSession session={session} /> },
        ]}
      />
    </Panel>
  );
}

function SessionName({ session }: { session: SessionView }) {
  return (
    <Group gap="xs">
      <Text span fw={600}>
        {describeUserAgent(session.userAgent)}
      </Text>
      {session.current ? <Badge variant="default">This one</Badge> : null}
    </Group>
  );
}

function EndSession({ session }: { session: SessionView }) {
  if (session.current)
    return (
      <Text span size="sm" c="dimmed">
        Sign out above
      </Text>
    );
  return (
    <ActionForm intent="revoke-session" values={{ sessionId: session.id }}>
      <ConfirmButton
        variant="default"
        size="xs"
        confirmLabel="End it"
        aria-label={`End the session in ${describeUserAgent(session.userAgent)}`}
      >
        End
      </ConfirmButton>
    </ActionForm>
  );
}
