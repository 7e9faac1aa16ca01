import { getFormProps } from '@conform-to/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData } from '@remix-run/react';
import { toCostFields } from '#app/components/admin/cost/cost-form-schema.ts';
import { ModelCandidates } from '#app/components/admin/model-candidates.tsx';
import { ModelFields } from '#app/components/admin/model-fields.tsx';
import { editModelForm, toRolesText } from '#app/components/admin/model-form-schema.ts';
import { toPriceFields } from '#app/components/admin/price-form-schema.ts';
import { FormErrors, SubmitButton } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { runModelForm } from '#app/lib/model-actions.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ModelNumbers } from '#server/overview/schemas.ts';
import type { AdminModelView } from '#server/providers/channels/models/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  { title: `${data?.model.title ?? adminTexts.in(languageOf(matches))('model.title')} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { channels, models, overview } = context.trpc;
  const [all, allChannels, numbers] = await loadOrThrow(
    request,
    Promise.all([models.list(), channels.list(), overview.models({ window: '7d' })]),
  );
  const model = all.find((candidate) => candidate.id === params.modelId);
  if (!model) throw new Response('There is no such model.', { status: 404 });
  return {
    model,
    channels: allChannels,
    numbers: numbers.find(({ modelId }) => modelId === model.id) ?? null,
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runModelForm(request, await request.formData(), context);
}

export default function EditModel() {
  const t = useT(adminTexts);
  const { model, channels, numbers } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  return (
    <>
      <PageHeader
        title={model.title}
        edge={`${t(`kinds.${model.kind}`)} · ${model.endpoint} · ${model.slug}`}
      >
        {t('model.lead', { channel: model.channel.name })} {numbers ? <Numbers numbers={numbers} /> : null}
      </PageHeader>
      <Stack gap="xl">
        <EditModelForm
          model={model}
          saved={answer !== undefined && 'done' in answer && answer.done === 'edit-model'}
        />
        <ModelCandidates model={model} channels={channels} />
      </Stack>
    </>
  );
}

function Numbers({ numbers }: { numbers: ModelNumbers }) {
  const t = useT(adminTexts);
  const format = useFormat();
  const { submitted, succeeded, failed, p50Seconds, p95Seconds } = numbers;
  const counts = { submitted: format.integer(submitted), failed: format.integer(failed) };
  if (p50Seconds === null || p95Seconds === null) return <>{t('model.numbersNone', counts)}</>;
  return (
    <>
      {t('model.numbers', {
        ...counts,
        succeeded: format.integer(succeeded),
        median: format.duration(p50Seconds * 1_000),
        slow: format.duration(p95Seconds * 1_000),
      })}
    </>
  );
}

function EditModelForm({ model, saved }: { model: AdminModelView; saved: boolean }) {
  const t = useT(adminTexts);
  const {
    parameters,
    price,
    cost,
    referenceRoles,
    candidates: _candidates,
    channel: _channel,
    ...known
  } = model;
  const [form, fields] = useZodForm('edit-model', editModelForm, {
    defaultValue: {
      ...known,
      modelId: model.id,
      price: toPriceFields(price),
      cost: toCostFields(cost),
      referenceRoles: toRolesText(referenceRoles),
      parameters: JSON.stringify(parameters, null, 2),
    },
  });
  return (
    <Panel>
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="edit-model" />
        <input type="hidden" name="modelId" value={model.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <ModelFields fields={fields} form={form} />
          <Group>
            <SubmitButton name="of" value="edit-model">
              {t('save')}
            </SubmitButton>
            <Button component={Link} to="/admin/models" variant="default">
              {t('back')}
            </Button>
            <Text size="sm" role="status">
              {saved ? t('saved') : ''}
            </Text>
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}
