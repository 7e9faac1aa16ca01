import { getFormProps } from '@conform-to/react';
import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { ModelFields } from '#app/components/admin/model-fields.tsx';
import { newModelForm } from '#app/components/admin/model-form-schema.ts';
import { FormErrors, SelectField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { KINDS } from '#server/generation/status.ts';
import { ENDPOINTS, type ModelTemplate } from '#server/providers/channels/schemas.ts';

export const meta: MetaFunction = () => [{ title: 'Add a model · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { channels } = context.trpc;
  const [channelViews, templates] = await loadOrThrow(
    request,
    Promise.all([channels.list(), channels.templates()]),
  );
  if (channelViews.length === 0) throw redirect('/admin/channels/new');
  const query = new URL(request.url).searchParams;
  const template = templates.find(({ id }) => id === query.get('template')) ?? null;
  return {
    channels: channelViews,
    templates,
    template,
    channelId: query.get('channel') ?? channelViews[0]?.id,
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'new-model',
    schema: newModelForm,
    run: async (input) => {
      await context.trpc.models.create(input);
      return redirect(`/admin/channels/${input.channelId}`);
    },
  });
}

export default function NewModel() {
  const { channels, templates, template, channelId } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title="Add a model" edge="What people choose from">
        Start from a template, or describe any model that the channel's service offers.
      </PageHeader>
      <Stack gap="xl">
        <Panel title="Templates">
          <Group gap="xs">
            {templates.map(({ id, title }) => (
              <Button
                key={id}
                component={Link}
                to={`?channel=${channelId}&template=${id}`}
                variant={template?.id === id ? 'filled' : 'default'}
                aria-current={template?.id === id ? 'true' : undefined}
                size="xs"
                preventScrollReset
              >
                {title}
              </Button>
            ))}
          </Group>
        </Panel>
        <NewModelForm
          // Another template fills the form anew.
          key={template?.id ?? 'blank'}
          template={template}
          channelId={channelId}
          channels={channels.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Stack>
    </>
  );
}

type NewModelFormProps = {
  template: ModelTemplate | null;
  channelId: string | undefined;
  channels: { value: string; label: string }[];
};

const BLANK = {
  price: { unit: 'call' as const, credits: 1 },
  maxPromptCharacters: 4_000,
  maxReferences: 0,
  createTimeoutSeconds: 300,
  deadlineSeconds: 3_600,
};

function NewModelForm({ template, channelId, channels }: NewModelFormProps) {
  const { id, parameters, ...known } = template ?? { ...BLANK, id: '', parameters: {} };
  const [form, fields] = useZodForm('new-model', newModelForm, {
    defaultValue: {
      ...known,
      channelId,
      slug: id,
      sortOrder: 0,
      parameters: JSON.stringify(parameters, null, 2),
    },
  });
  return (
    <Panel title="The model">
      <Form method="post" {...getFormProps(form)}>
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <SelectField field={fields.channelId} label="Channel" options={channels} />
            <TextField field={fields.slug} label="Name in the API" autoComplete="off" />
            <SelectField field={fields.kind} label="Kind" options={KINDS} />
            <SelectField field={fields.endpoint} label="Endpoint" options={ENDPOINTS} />
          </SimpleGrid>
          <ModelFields fields={fields} />
          <Group>
            <SubmitButton>Add model</SubmitButton>
            <Button component={Link} to="/admin/models" variant="default">
              Back
            </Button>
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}
