import { Button, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { CircleCheck, CirclePause } from 'lucide-react';
import { type Done, DoneNotice } from '#app/components/admin/operations/done-notice.tsx';
import classes from '#app/components/admin/operations/operations.module.css';
import { PauseForm } from '#app/components/admin/operations/pause-form.tsx';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { deedName, readDeed } from '#app/lib/deed.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import { PAUSE_SCOPES, pauseInput, resumeInput } from '#server/operations/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${operationsTexts.in(languageOf(matches))('pauses.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { pauses: await loadOrThrow(request, context.trpc.operations.pauses()) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { operations } = context.trpc;
  switch (form.get('intent')) {
    case 'pause':
      return runDeed(
        { request, form },
        { intent: 'pause', schema: pauseInput, run: operations.pause, done: 'paused' satisfies Done },
      );
    case 'resume':
      return runDeed(
        { request, form },
        {
          intent: 'resume',
          idField: 'scope',
          schema: resumeInput,
          run: operations.resume,
          done: 'resumed' satisfies Done,
        },
      );
    default:
      throw unknownForm();
  }
}

export default function Pauses() {
  const t = useT(operationsTexts);
  const { pauses } = useLoaderData<typeof loader>();
  const deed = readDeed(useActionData<typeof action>());
  const rows = PAUSE_SCOPES.map((scope) => ({ scope, pause: pauses.find((each) => each.scope === scope) }));
  return (
    <>
      <PageHeader
        title={t('pauses.title')}
        edge={t('edge')}
        actions={
          <Button component={Link} to="/admin/channels" variant="default">
            {t('pauses.channels')}
          </Button>
        }
      >
        {t('pauses.lead')}
      </PageHeader>
      <DoneNotice />
      <ActionErrors intents={PAUSE_SCOPES.map((scope) => deedName('resume', scope))} />
      <Stack gap="xl">
        <Panel flush>
          <DataTable
            label={t('pauses.table')}
            rows={rows}
            rowKey={({ scope }) => scope}
            columns={[
              { head: t('pauses.what'), primary: true, cell: ({ scope }) => t(`scope.${scope}`) },
              {
                head: t('pauses.state'),
                cell: ({ pause }) => (
                  <ToneBadge tone={pause ? 'unsure' : 'good'} icon={pause ? CirclePause : CircleCheck}>
                    {pause ? t('pauses.paused') : t('pauses.open')}
                  </ToneBadge>
                ),
              },
              {
                head: t('pauses.reason'),
                cell: ({ pause }) =>
                  pause ? (
                    <div className={classes.text}>
                      {pause.reason}
                      <span className={classes.note}>
                        {t('pauses.by')}: {pause.pausedByEmail ?? t('commandLine')}
                      </span>
                    </div>
                  ) : (
                    '–'
                  ),
              },
              {
                head: t('pauses.since'),
                cell: ({ pause }) => (pause ? <TimeAgo at={pause.pausedAt} /> : '–'),
              },
              {
                head: t('pauses.resume'),
                cell: ({ scope, pause }) =>
                  pause ? (
                    <ActionForm intent="resume" values={{ scope }}>
                      <ConfirmButton
                        size="xs"
                        variant="default"
                        confirmLabel={t('pauses.resumeSure')}
                        aria-label={t('pauses.resumeOne', { what: t(`scope.${scope}`) })}
                      >
                        {t('pauses.resume')}
                      </ConfirmButton>
                    </ActionForm>
                  ) : (
                    '–'
                  ),
              },
            ]}
          />
        </Panel>
        {/* What was sent empties the form. */}
        <PauseForm key={deed?.deed === 'pause' ? JSON.stringify(pauses) : 'form'} />
      </Stack>
    </>
  );
}
