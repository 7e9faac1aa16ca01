import { getFormProps } from '@conform-to/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData } from '@remix-run/react';
import { ModelFields } from '#app/components/admin/model-fields.tsx';
import { editModelForm } from '#app/components/admin/model-form-schema.ts';
import { FormErrors, SubmitButton } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.model.title ?? 'Model'} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const models = await loadOrThrow(request, context.trpc.models.list());
  const model = models.find((candidate) => candidate.id === params.modelId);
  if (!model) throw new Response('There is no such model.', { status: 404 });
  return { model };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'edit-model',
    schema: editModelForm,
    run: async (input) => {
      await context.trpc.models.update(input);
      return { saved: true };
    },
  });
}

export default function EditModel() {
  const { model } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const { parameters, ...known } = model;
  const [form, fields] = useZodForm('edit-model', editModelForm, {
    defaultValue: { ...known, modelId: model.id, parameters: JSON.stringify(parameters, null, 2) },
  });
  return (
    <>
      <PageHeader title={model.title} edge={`${model.kind} · ${model.endpoint} · ${model.slug}`}>
        On channel {model.channel.name}. Running tasks keep the price and limits that they were submitted
        under.
      </PageHeader>
      <Panel>
        <Form method="post" preventScrollReset {...getFormProps(form)}>
          <input type="hidden" name="modelId" value={model.id} />
          <Stack gap="md" maw={760}>
            <FormErrors form={form} />
            <ModelFields fields={fields} />
            <Group>
              <SubmitButton>Save</SubmitButton>
              <Button component={Link} to="/admin/models" variant="default">
                Back
              </Button>
              <Text size="sm" role="status">
                {answer && 'saved' in answer ? 'Saved.' : ''}
              </Text>
            </Group>
          </Stack>
        </Form>
      </Panel>
    </>
  );
}
