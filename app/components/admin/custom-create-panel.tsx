import { Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { SelectField, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import { CREATE_METHODS } from '#server/providers/custom/schemas.ts';
import { MONOSPACE } from './custom-styles.ts';
import type { DescriptionField } from './use-custom-form.ts';

const AUTH = ['bearer', 'header', 'query', 'none'] as const;
const BODIES = ['json', 'form', 'query'] as const;
const MEDIA = ['data_uri', 'base64', 'file'] as const;

/** Where the key goes. It is no panel of its own: it stands with the account. */
export function AuthFields({ field }: { field: DescriptionField }) {
  const t = useT(adminTexts);
  const settings = field.getFieldset();
  const auth = settings.auth.getFieldset();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <SelectField
          field={auth.style}
          label={t('custom.auth.goes')}
          options={AUTH.map((value) => ({ value, label: t(`custom.auth.${value}`) }))}
        />
        <TextField
          field={auth.name}
          label={t('custom.auth.name')}
          placeholder="X-Api-Key"
          autoComplete="off"
        />
        <TextField field={auth.prefix} label={t('custom.auth.prefix')} placeholder="Key" autoComplete="off" />
      </SimpleGrid>
      <TextareaField
        field={settings.headers}
        label={t('custom.auth.headers')}
        description={t('custom.auth.headersHelp')}
        placeholder="X-Version: 2"
        autosize
        minRows={1}
        styles={MONOSPACE}
      />
    </>
  );
}

/** The one request that may cost money. */
export function CreatePanel({ field }: { field: DescriptionField }) {
  const t = useT(adminTexts);
  const create = field.getFieldset().create.getFieldset();
  return (
    <Panel id="create" title={t('custom.create.title')} description={t('custom.create.description')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SelectField
            field={create.method}
            label={t('custom.create.method')}
            description={t('custom.create.methodHelp')}
            options={CREATE_METHODS}
          />
          <TextField
            field={create.path}
            label={t('custom.create.path')}
            description={t('custom.create.pathHelp')}
            autoComplete="off"
          />
          <SelectField
            field={create.body}
            label={t('custom.create.sentAs')}
            options={BODIES.map((value) => ({ value, label: t(`custom.create.${value}`) }))}
          />
          <SelectField
            field={create.media}
            label={t('custom.create.media')}
            options={MEDIA.map((value) => ({ value, label: t(`custom.create.${value}`) }))}
          />
        </SimpleGrid>
        <TextareaField
          field={create.template}
          label={t('custom.create.template')}
          description={t('custom.create.templateHelp')}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          styles={MONOSPACE}
        />
        <Text size="sm" c="dimmed">
          <Code>{'{{prompt}}'}</Code> <Code>{'{{model}}'}</Code> <Code>{'{{kind}}'}</Code>{' '}
          <Code>{'{{params.size}}'}</Code> {t('custom.create.and')} <Code>{'{{firstFrame}}'}</Code>{' '}
          <Code>{'{{lastFrame}}'}</Code> <Code>{'{{references}}'}</Code> <Code>{'{{references.0}}'}</Code>,{' '}
          <Code>{'{{ref}}'}</Code> {t('custom.create.ref')} <Code>{'{{webhookUrl}}'}</Code>{' '}
          {t('custom.create.hook')} <Code>|number</Code> <Code>|text</Code> <Code>|seconds</Code>{' '}
          {t('custom.create.for')}
        </Text>
      </Stack>
    </Panel>
  );
}
