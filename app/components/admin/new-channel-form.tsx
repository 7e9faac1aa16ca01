import { getCollectionProps, getFormProps } from '@conform-to/react';
import { Button, Checkbox, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { formatPrice } from '#app/lib/format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import {
  catalogueEntry,
  createChannelInput,
  type ModelTemplate,
  type Protocol,
} from '#server/providers/channels/schemas.ts';

export const newChannelForm = createChannelInput.pick({
  name: true,
  protocol: true,
  baseUrl: true,
  apiKey: true,
  maxInFlight: true,
  webhookSecret: true,
  templates: true,
});

type NewChannelFormProps = { protocol: Protocol; templates: readonly ModelTemplate[] };

/** The account at the chosen service: address, key, and the models to offer from the start. */
export function NewChannelForm({ protocol, templates }: NewChannelFormProps) {
  const entry = catalogueEntry(protocol);
  const [form, fields] = useZodForm('new-channel', newChannelForm, {
    defaultValue: { protocol, baseUrl: entry?.baseUrl || undefined, maxInFlight: 100 },
  });
  if (!entry) return null;
  return (
    <Panel
      title={`The account at ${entry.title}`}
      description={`Endpoints by what they make: ${describeEndpoints(entry.endpoints)}.`}
    >
      <Form method="post" {...getFormProps(form)}>
        <input type="hidden" name="protocol" value={protocol} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextField
              field={fields.name}
              label="Name"
              description="For administrators only."
              autoComplete="off"
            />
            <TextField
              field={fields.maxInFlight}
              type="number"
              label="Tasks at once"
              description="How many may be under way on this account."
            />
          </SimpleGrid>
          <TextField
            field={fields.baseUrl}
            label="Base URL"
            description={
              entry.baseUrl
                ? 'Change it only for a proxy, another region, or a service that speaks the same protocol.'
                : 'With or without its version, such as /v1.'
            }
            placeholder={entry.baseUrl || 'https://gateway.example.com/v1'}
            inputMode="url"
            autoComplete="off"
          />
          <PasswordField
            field={fields.apiKey}
            label={entry.keyLabel}
            description="Sealed at once. It leaves this server only towards the base URL."
            autoComplete="off"
          />
          {entry.webhookSecretLabel ? (
            <PasswordField
              field={fields.webhookSecret}
              label={entry.webhookSecretLabel}
              description="May be left empty and added later, together with the webhook address."
              autoComplete="off"
            />
          ) : null}
          <TemplateChoice field={fields.templates} templates={templates} />
          <Group>
            <SubmitButton>Add channel</SubmitButton>
            <Button component={Link} to="/admin/channels" variant="default">
              Back
            </Button>
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}

type TemplateChoiceProps = {
  field: Parameters<typeof getCollectionProps>[0];
  templates: readonly ModelTemplate[];
};

function TemplateChoice({ field, templates }: TemplateChoiceProps) {
  const byId = new Map(templates.map((template) => [template.id, template]));
  if (templates.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There is no ready-made model for this protocol yet. Describe one by hand afterwards.
      </Text>
    );
  }
  return (
    <Input.Wrapper
      label="Models to offer"
      description="Prices are starting points; change them after adding."
      labelElement="div"
      labelProps={{ id: 'templates-label' }}
      role="group"
      aria-labelledby="templates-label"
      error={field.errors?.join(' ')}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="sm" spacing="sm">
        {getCollectionProps(field, {
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
  );
}

/** `image (images), video (video, videos), text`: kinds with the endpoints that make them, where those have other names. */
function describeEndpoints(endpoints: Readonly<Record<string, string>>): string {
  const byKind = new Map<string, string[]>();
  for (const [name, kind] of Object.entries(endpoints)) byKind.set(kind, [...(byKind.get(kind) ?? []), name]);
  return [...byKind]
    .map(([kind, names]) => (names.join() === kind ? kind : `${kind} (${names.join(', ')})`))
    .join(', ');
}
