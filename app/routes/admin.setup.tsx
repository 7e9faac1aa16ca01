import { Button, Code, Group } from '@mantine/core';
import { type LoaderFunctionArgs, type MetaFunction, redirect } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import { Trans } from 'react-i18next';
import { SetUpList } from '#app/components/admin/set-up-list.tsx';
import { WorkerWords } from '#app/components/admin/set-up-steps.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { requireAdmin } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { operationsTexts } from '#app/locales/operations.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${operationsTexts.in(languageOf(matches))('setup.title')} · Sidelane` },
];

/** What is done already. After sign-in (`?first`) whoever has a channel goes on to the workbench. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = requireAdmin(context, request);
  const { channels, models, workers, adminTasks } = context.trpc;
  const [allChannels, allModels, allWorkers, succeeded] = await loadOrThrow(
    request,
    Promise.all([
      channels.list(),
      models.list(),
      workers.list(),
      adminTasks.list({ status: 'succeeded', limit: 1 }),
    ]),
  );
  if (new URL(request.url).searchParams.has('first') && allChannels.length > 0) throw redirect('/workbench');
  return {
    userId: user.id,
    channelId: allChannels.find(({ enabled }) => enabled)?.id ?? allChannels[0]?.id ?? null,
    hasModel: allModels.some(({ enabled }) => enabled),
    hasWorker: allWorkers.some(({ freshness }) => freshness === 'fresh'),
    hasSucceeded: succeeded.items.length > 0,
  };
}

export default function SetUp() {
  const t = useT(operationsTexts);
  const data = useLoaderData<typeof loader>();
  const ready = data.channelId !== null && data.hasModel && data.hasSucceeded;
  return (
    <>
      <PageHeader title={t('setup.title')} edge={t('setup.edge')}>
        {ready ? t('setup.ready') : t('setup.lead')}
      </PageHeader>
      <SetUpList
        steps={[
          {
            key: 'channel',
            title: t('setup.channel.title'),
            done: data.channelId !== null,
            text: (
              <>
                {t('setup.channel.text')}{' '}
                {data.channelId === null ? (
                  <Trans t={t} i18nKey="setup.channel.sandbox" components={{ code: <Code /> }} />
                ) : null}
              </>
            ),
            action: <GoTo to="/admin/channels/new">{t('setup.channel.add')}</GoTo>,
          },
          {
            key: 'model',
            title: t('setup.model.title'),
            done: data.hasModel,
            text: t('setup.model.text'),
            action: (
              <Group>
                <GoTo to="/admin/models/new">{t('setup.model.add')}</GoTo>
                <GoTo to="/admin/models" quiet>
                  {t('setup.model.list')}
                </GoTo>
                {data.channelId ? (
                  <GoTo to={`/admin/channels/${data.channelId}`} quiet>
                    {t('setup.channel.test')}
                  </GoTo>
                ) : null}
              </Group>
            ),
          },
          {
            key: 'try',
            title: t('setup.try.title'),
            done: data.hasSucceeded,
            text: t('setup.try.text'),
            action: (
              <Group>
                <GoTo to="/workbench">{t('setup.try.go')}</GoTo>
                <GoTo to={`/admin/users/${data.userId}`} quiet>
                  {t('setup.try.credits')}
                </GoTo>
                {data.channelId ? (
                  <GoTo to={`/admin/channels/${data.channelId}`} quiet>
                    {t('setup.channel.test')}
                  </GoTo>
                ) : null}
              </Group>
            ),
          },
        ]}
      />
      <Panel
        id="worker"
        title={t('setup.worker.title')}
        actions={
          <GoTo to="/admin/workers" quiet>
            {t('setup.worker.link')}
          </GoTo>
        }
      >
        <p>{data.hasWorker ? t('setup.worker.done') : <WorkerWords i18nKey="setup.worker.text" />}</p>
        {ready ? <GoTo to="/admin">{t('setup.overview')}</GoTo> : null}
      </Panel>
    </>
  );
}

function GoTo({ to, quiet = false, children }: { to: string; quiet?: boolean; children: string }) {
  return (
    <Button
      component={Link}
      to={to}
      variant={quiet ? 'default' : 'filled'}
      rightSection={quiet ? undefined : <ArrowRight size={16} aria-hidden="true" />}
    >
      {children}
    </Button>
  );
}
