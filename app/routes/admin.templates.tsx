import { Anchor, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { LayoutTemplate } from 'lucide-react';
import { HouseTemplateForm } from '#app/components/admin/operations/house-template-form.tsx';
import classes from '#app/components/admin/operations/operations.module.css';
import { ReadyMadePrompts } from '#app/components/admin/operations/ready-made-prompts.tsx';
import { houseTemplates } from '#app/components/composer/dialogs/house-templates.ts';
import { shorten } from '#app/components/media/output-name.ts';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { deedName, readDeed } from '#app/lib/deed.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { houseTexts } from '#app/locales/house.ts';
import { promptTexts } from '#app/locales/prompts.ts';
import {
  changeHouseTemplateInput,
  type HouseTemplateView,
  houseTemplateInput,
  itemInput,
  TEMPLATE_LANGUAGES,
  templatesInput,
} from '#server/generation/prompts/schemas.ts';
import { TASK_KINDS, type TaskKind } from '#server/generation/status.ts';

type Done = 'added' | 'changed' | 'removed' | 'takenOver';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${houseTexts.in(languageOf(matches))('title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const templates = await loadOrThrow(request, context.trpc.prompts.house.list());
  const edit = new URL(request.url).searchParams.get('edit');
  return { templates, edited: templates.find(({ id }) => id === edit) ?? null };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { house } = context.trpc.prompts;
  switch (form.get('intent')) {
    case 'add':
      return runDeed(
        { request, form },
        {
          intent: 'add',
          schema: houseTemplateInput,
          run: async (template) => ({ ...(await house.add({ templates: [template] })) }),
          done: 'added' satisfies Done,
        },
      );
    case 'change':
      return runDeed(
        { request, form },
        {
          intent: 'change',
          schema: changeHouseTemplateInput,
          run: house.change,
          done: 'changed' satisfies Done,
        },
      );
    case 'remove':
      return runDeed(
        { request, form },
        {
          intent: 'remove',
          idField: 'id',
          schema: itemInput,
          run: house.remove,
          done: 'removed' satisfies Done,
        },
      );
    case 'take-over':
      return runDeed(
        { request, form },
        {
          intent: 'take-over',
          schema: templatesInput,
          run: ({ kind }) => house.add({ templates: readyMade(kind) }),
          done: 'takenOver' satisfies Done,
        },
      );
    default:
      throw unknownForm();
  }
}

/** The prompts that the pages bring along, in every language that they have. */
function readyMade(kind: TaskKind) {
  return TEMPLATE_LANGUAGES.flatMap((language) =>
    houseTemplates(promptTexts.in(language), kind).map(({ name, prompt }) => ({
      kind,
      language,
      name,
      prompt,
    })),
  );
}

export default function Templates() {
  const t = useT(houseTexts);
  const { templates, edited } = useLoaderData<typeof loader>();
  const deed = readDeed(useActionData<typeof action>());
  const used = new Set(templates.map(({ kind }) => kind));
  return (
    <>
      <PageHeader title={t('title')} edge={t('edge')}>
        {t('lead')}
      </PageHeader>
      <div role="status" className={classes.deed}>
        {deed ? (
          <Notice tone="good" title={t('notice')}>
            {t(`done.${deed.done as Done}`)}
          </Notice>
        ) : null}
      </div>
      <ActionErrors intents={['take-over', ...templates.map(({ id }) => deedName('remove', id))]} />
      <Stack gap="xl">
        {templates.length === 0 ? (
          <EmptyState icon={LayoutTemplate} title={t('none')}>
            {t('noneText')}
          </EmptyState>
        ) : (
          <Panel flush>
            <TemplateTable templates={templates} />
          </Panel>
        )}
        {/* Another template makes another form, and what was added empties it. */}
        <HouseTemplateForm key={edited?.id ?? `new ${templates.length}`} edited={edited} />
        <ReadyMadePrompts kinds={TASK_KINDS.filter((kind) => !used.has(kind))} />
      </Stack>
    </>
  );
}

type Row = Omit<HouseTemplateView, 'updatedAt'>;

function TemplateTable({ templates }: { templates: readonly Row[] }) {
  const t = useT(houseTexts);
  return (
    <DataTable
      label={t('table')}
      rows={templates}
      rowKey={({ id }) => id}
      columns={[
        {
          head: t('name'),
          primary: true,
          cell: ({ name, prompt, language }) => (
            <div className={classes.text} lang={language ?? undefined}>
              {name}
              <span className={classes.note}>{shorten(prompt, 160)}</span>
            </div>
          ),
        },
        { head: t('kind'), cell: ({ kind }) => t(`kinds.${kind}`) },
        { head: t('language'), cell: ({ language }) => t(`languages.${language ?? 'all'}`) },
        {
          head: t('edit'),
          cell: ({ id, name }) => (
            <Anchor
              component={Link}
              to={`/admin/templates?edit=${id}#template`}
              underline="always"
              aria-label={t('editOne', { name })}
            >
              {t('edit')}
            </Anchor>
          ),
        },
        {
          head: t('remove'),
          cell: ({ id, name }) => (
            <ActionForm intent="remove" values={{ id }}>
              <ConfirmButton
                size="xs"
                variant="default"
                confirmLabel={t('removeSure')}
                aria-label={t('removeOne', { name })}
              >
                {t('remove')}
              </ConfirmButton>
            </ActionForm>
          ),
        },
      ]}
    />
  );
}
