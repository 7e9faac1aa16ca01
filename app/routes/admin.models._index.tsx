import { Button } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Cpu, Plus } from 'lucide-react';
import { ModelTable } from '#app/components/admin/model-table.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runModelSwitch } from '#app/lib/model-actions.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

export const meta: MetaFunction = () => [{ title: 'Models · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { channels, models } = context.trpc;
  const [channelViews, modelViews] = await loadOrThrow(
    request,
    Promise.all([channels.list(), models.list()]),
  );
  return { models: modelViews, hasChannel: channelViews.length > 0 };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runModelSwitch(request, await request.formData(), context);
}

export default function Models() {
  const { models, hasChannel } = useLoaderData<typeof loader>();
  const next = hasChannel
    ? { to: '/admin/models/new', label: 'Add a model' }
    : { to: '/admin/channels/new', label: 'Add a channel first' };
  const add = (
    <Button component={Link} to={next.to} leftSection={<Plus size={16} aria-hidden="true" />}>
      {next.label}
    </Button>
  );
  return (
    <>
      <PageHeader title="Models" edge="What people choose from" actions={models.length > 0 ? add : null}>
        A public name over one channel's upstream model, with its parameters and price.
      </PageHeader>
      <ActionErrors intents={['enable-model']} />
      {models.length === 0 ? (
        <EmptyState icon={Cpu} title="No model yet" action={add}>
          People can submit as soon as there is one on a channel that is on.
        </EmptyState>
      ) : (
        <Panel flush>
          <ModelTable models={models} withChannel />
        </Panel>
      )}
    </>
  );
}
