import { getCollectionProps, getFormProps } from '@conform-to/react';
import { Button, Checkbox, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { keyLabel, protocolTitle } from '#app/components/admin/protocol-words.ts';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { refusalOf } from '#app/components/ui/refusal.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { Kind } from '#server/generation/status.ts';
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
  const t = useT(adminTexts);
  const entry = catalogueEntry(protocol);
  const [form, fields] = useZodForm('new-channel', newChannelForm, {
    defaultValue: { protocol, baseUrl: entry?.baseUrl || undefined, maxInFlight: 100 },
  });
  if (!entry) return null;
  return (
    <Panel
      id="account"
      title={t('newChannel.account', { protocol: protocolTitle(t, protocol) })}
      description={t('newChannel.endpoints', {
        list: describeEndpoints(entry.endpoints, (kind) => t(`kinds.${kind}`)),
      })}
    >
      <Form method="post" {...getFormProps(form)}>
        <input type="hidden" name="protocol" value={protocol} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextField
              field={fields.name}
              label={t('newChannel.name')}
              description={t('newChannel.nameHelp')}
              autoComplete="off"
            />
            <TextField
              field={fields.maxInFlight}
              type="number"
              label={t('channel.limits.maxInFlight')}
              description={t('channel.limits.maxInFlightHelp')}
            />
          </SimpleGrid>
          <TextField
            field={fields.baseUrl}
            label={t('newChannel.baseUrl')}
            description={entry.baseUrl ? t('newChannel.baseUrlKnown') : t('newChannel.baseUrlOwn')}
            placeholder={entry.baseUrl || 'https://gateway.example.com/v1'}
            inputMode="url"
            autoComplete="off"
          />
          <PasswordField
            field={fields.apiKey}
            label={keyLabel(t, entry.keyLabel)}
            description={t('newChannel.keyHelp')}
            autoComplete="off"
          />
          {entry.webhookSecretLabel ? (
            <PasswordField
              field={fields.webhookSecret}
              label={keyLabel(t, entry.webhookSecretLabel)}
              description={t('newChannel.secretHelp')}
              autoComplete="off"
            />
          ) : null}
          <TemplateChoice field={fields.templates} templates={templates} />
          <Group>
            <SubmitButton>{t('newChannel.add')}</SubmitButton>
            <Button component={Link} to="/admin/channels" variant="default">
              {t('back')}
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
  const t = useT(adminTexts);
  const format = useFormat();
  const byId = new Map(templates.map((template) => [template.id, template]));
  if (templates.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('newChannel.noTemplates')}
      </Text>
    );
  }
  return (
    <Input.Wrapper
      label={t('newChannel.templates')}
      description={t('newChannel.templatesHelp')}
      labelElement="div"
      labelProps={{ id: 'templates-label' }}
      role="group"
      aria-labelledby="templates-label"
      error={refusalOf(field.errors)}
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
              description={`${t(`kinds.${template.kind}`)} · ${format.price(template.price)}`}
            />
          );
        })}
      </SimpleGrid>
    </Input.Wrapper>
  );
}

/** `image (images), video (video, videos), text`: kinds with the endpoints that make them, where those have other names. */
function describeEndpoints(endpoints: Readonly<Record<string, Kind>>, word: (kind: Kind) => string): string {
  const byKind = new Map<Kind, string[]>();
  for (const [name, kind] of Object.entries(endpoints)) byKind.set(kind, [...(byKind.get(kind) ?? []), name]);
  return [...byKind]
    .map(([kind, names]) => (names.join() === kind ? word(kind) : `${word(kind)} (${names.join(', ')})`))
    .join(', ');
}
