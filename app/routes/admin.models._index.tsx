import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { Cpu, Plus, Search } from 'lucide-react';
import filterClasses from '#app/components/admin/list-filters.module.css';
import { ModelTable } from '#app/components/admin/model-table.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { runModelSwitch } from '#app/lib/model-actions.ts';
import { isUuid, readChoice, readText } from '#app/lib/read-query.ts';
import { MODEL_SORTS, sortModels } from '#app/lib/sort-models.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminTexts } from '#app/locales/admin.ts';
import { KINDS } from '#server/generation/status.ts';

const STATES = ['offered', 'off'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminTexts.in(languageOf(matches))('models.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { channels, models, overview } = context.trpc;
  const [channelViews, all, numbers] = await loadOrThrow(
    request,
    Promise.all([channels.list(), models.list(), overview.models({ window: '7d' })]),
  );
  const channel = readText(request.url, 'channel') ?? '';
  const filters = {
    kind: readChoice(request.url, 'kind', KINDS) ?? '',
    channel: isUuid(channel) ? channel : '',
    state: readChoice(request.url, 'state', STATES) ?? '',
    text: readText(request.url, 'text', 80) ?? '',
    sort: readChoice(request.url, 'sort', MODEL_SORTS) ?? MODEL_SORTS[0],
  };
  const text = filters.text.toLowerCase();
  const shown = all
    .filter(({ kind }) => filters.kind === '' || kind === filters.kind)
    .filter((model) => filters.channel === '' || model.channel.id === filters.channel)
    .filter(
      (model) =>
        filters.state === '' || (model.enabled && model.channel.enabled) === (filters.state === 'offered'),
    )
    .filter(({ title, slug, upstreamModel }) =>
      `${title} ${slug} ${upstreamModel}`.toLowerCase().includes(text),
    );
  return {
    models: sortModels(shown, { by: filters.sort, numbers }),
    numbers,
    filters,
    hasAny: all.length > 0,
    // Moving changes places with the next one of the kind: that must be the one that is seen.
    isOrdered: filters.sort === 'position' && ordersAlone(filters),
    channels: channelViews.map(({ id, name }) => ({ id, name })),
  };
}

const ordersAlone = ({ channel, state, text }: { channel: string; state: string; text: string }) =>
  channel === '' && state === '' && text === '';

export async function action({ request, context }: ActionFunctionArgs) {
  return runModelSwitch(request, await request.formData(), context);
}

export default function Models() {
  const t = useT(adminTexts);
  const { models, numbers, filters, hasAny, isOrdered, channels } = useLoaderData<typeof loader>();
  const next =
    channels.length > 0
      ? { to: '/admin/models/new', label: t('models.add') }
      : { to: '/admin/channels/new', label: t('models.addChannel') };
  const add = (
    <Button component={Link} to={next.to} leftSection={<Plus size={16} aria-hidden="true" />}>
      {next.label}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('models.title')} edge={t('models.edge')} actions={hasAny ? add : null}>
        {t('models.lead')}
      </PageHeader>
      <ActionErrors intents={['enable-model', 'move-model']} />
      {hasAny ? (
        <>
          <Filters filters={filters} channels={channels} key={Object.values(filters).join(' ')} />
          {models.length === 0 ? (
            <EmptyState
              icon={Search}
              title={t('models.noMatch.title')}
              action={
                <Button component={Link} to="/admin/models" variant="default">
                  {t('clear')}
                </Button>
              }
            >
              {t('models.noMatch.text')}
            </EmptyState>
          ) : (
            <Panel flush>
              <ModelTable models={models} withChannel numbers={numbers} isOrdered={isOrdered} />
            </Panel>
          )}
        </>
      ) : (
        <EmptyState icon={Cpu} title={t('models.empty.title')} action={add}>
          {t('models.empty.text')}
        </EmptyState>
      )}
    </>
  );
}

type FiltersProps = {
  filters: { kind: string; channel: string; state: string; text: string; sort: string };
  channels: readonly { id: string; name: string }[];
};

function Filters({ filters, channels }: FiltersProps) {
  const t = useT(adminTexts);
  const any = { value: '', label: t('any') };
  return (
    <Form method="get" className={filterClasses.root} role="search">
      <NativeSelect
        label={t('models.filters.kind')}
        name="kind"
        defaultValue={filters.kind}
        data={[any, ...KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))]}
      />
      <NativeSelect
        label={t('models.filters.channel')}
        name="channel"
        defaultValue={filters.channel}
        data={[any, ...channels.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      <NativeSelect
        label={t('models.filters.state')}
        name="state"
        defaultValue={filters.state}
        data={[any, ...STATES.map((value) => ({ value, label: t(`models.filters.${value}`) }))]}
      />
      <NativeSelect
        label={t('models.filters.sort')}
        name="sort"
        defaultValue={filters.sort}
        data={MODEL_SORTS.map((value) => ({ value, label: t(`models.sorts.${value}`) }))}
      />
      <TextInput
        label={t('models.filters.text')}
        name="text"
        defaultValue={filters.text}
        type="search"
        maxLength={80}
      />
      <Button type="submit" variant="default" leftSection={<Search size={16} aria-hidden="true" />}>
        {t('show')}
      </Button>
    </Form>
  );
}
