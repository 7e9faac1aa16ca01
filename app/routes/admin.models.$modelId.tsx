import { getFormProps } from '@conform-to/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData } from '@remix-run/react';
import { ModelCandidates } from '#app/components/admin/model-candidates.tsx';
import { ModelFields } from '#app/components/admin/model-fields.tsx';
import { editModelForm, toRolesText } from '#app/components/admin/model-form-schema.ts';
import { FormErrors, SubmitButton } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runModelForm } from '#app/lib/model-actions.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import type { AdminModelView } from '#server/providers/channels/models/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.model.title ?? 'Model'} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { channels, models } = context.trpc;
  const [all, allChannels] = await loadOrThrow(request, Promise.all([models.list(), channels.list()]));
  const model = all.find((candidate) => candidate.id === params.modelId);
  if (!model) throw new Response('There is no such model.', { status: 404 });
  return { model, channels: allChannels };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runModelForm(request, await request.formData(), context);
}

export default function EditModel() {
  const { model, channels } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  return (
    <>
      <PageHeader title={model.title} edge={`${model.kind} · ${model.endpoint} · ${model.slug}`}>
        On channel {model.channel.name}. Running tasks keep the price and limits that they were submitted
        under.
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

function EditModelForm({ model, saved }: { model: AdminModelView; saved: boolean }) {
  const { parameters, referenceRoles, candidates: _candidates, channel: _channel, ...known } = model;
  const [form, fields] = useZodForm('edit-model', editModelForm, {
    defaultValue: {
      ...known,
      modelId: model.id,
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
          <ModelFields fields={fields} />
          <Group>
            <SubmitButton name="of" value="edit-model">
              Save
            </SubmitButton>
            <Button component={Link} to="/admin/models" variant="default">
              Back
            </Button>
            <Text size="sm" role="status">
              {saved ? 'Saved.' : ''}
            </Text>
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}
