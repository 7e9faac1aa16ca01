import { getCollectionProps, getFormProps } from '@conform-to/react';
import { Button, Checkbox, Group, Input, SimpleGrid, Stack } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import {
  FormErrors,
  PasswordField,
  SelectField,
  SubmitButton,
  TextField,
} from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { formatPrice } from '#app/lib/format.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { createChannelInput, PROTOCOLS } from '#server/providers/channels/schemas.ts';

export const meta: MetaFunction = () => [{ title: 'Add a channel · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { templates: await loadOrThrow(request, context.trpc.channels.templates()) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'new-channel',
    schema: createChannelInput,
    secrets: ['apiKey'],
    run: async (input) => {
      const { channelId } = await context.trpc.channels.create(input);
      return redirect(`/admin/channels/${channelId}?added=1`);
    },
  });
}

export default function NewChannel() {
  const { templates } = useLoaderData<typeof loader>();
  const [form, fields] = useZodForm('new-channel', createChannelInput, {
    defaultValue: { protocol: 'openai', maxInFlight: 100 },
  });
  const byId = new Map(templates.map((template) => [template.id, template]));
  return (
    <>
      <PageHeader title="Add a channel" edge="Upstream">
        Any service that speaks the protocol will do. You can test it right after.
      </PageHeader>
      <Panel>
        <Form method="post" {...getFormProps(form)}>
          <Stack gap="md" maw={760}>
            <FormErrors form={form} />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextField
                field={fields.name}
                label="Name"
                description="For administrators only."
                autoComplete="off"
              />
              <SelectField
                field={fields.protocol}
                label="Protocol"
                description="What it speaks."
                options={PROTOCOLS}
              />
            </SimpleGrid>
            <TextField
              field={fields.baseUrl}
              label="Base URL"
              placeholder="https://api.openai.com/v1"
              inputMode="url"
              autoComplete="off"
            />
            <PasswordField
              field={fields.apiKey}
              label="API key"
              description="Sealed at once. It leaves this server only towards the base URL."
              autoComplete="off"
            />
            <TextField
              field={fields.maxInFlight}
              type="number"
              label="Tasks at once"
              description="How many may be under way on this account."
              maw={240}
            />
            <Input.Wrapper
              label="Models to offer"
              description="Prices are starting points; change them after adding."
              labelElement="div"
              labelProps={{ id: 'templates-label' }}
              role="group"
              aria-labelledby="templates-label"
              error={fields.templates.errors?.join(' ')}
            >
              <SimpleGrid cols={{ base: 1, sm: 2 }} mt="sm" spacing="sm">
                {getCollectionProps(fields.templates, {
                  type: 'checkbox',
                  options: templates.map((template) => template.id),
                  ariaAttributes: false,
                }).map(({ key, ...box }) => {
                  const template = byId.get(box.value ?? '');
                  if (!template) return null;
                  return (
                    <Checkbox
                      key={key}
                      {...box}
                      label={template.title}
                      description={`${template.kind} · ${formatPrice(template.price)}`}
                    />
                  );
                })}
              </SimpleGrid>
            </Input.Wrapper>
            <Group>
              <SubmitButton>Add channel</SubmitButton>
              <Button component={Link} to="/admin/channels" variant="default">
                Back
              </Button>
            </Group>
          </Stack>
        </Form>
      </Panel>
    </>
  );
}
