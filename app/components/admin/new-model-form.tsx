import { getFormProps } from '@conform-to/react';
import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { useState } from 'react';
import { FormErrors, SelectField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import { KINDS, type Kind } from '#server/generation/status.ts';
import type { ChannelView, ModelTemplate } from '#server/providers/channels/schemas.ts';
import { toCostFields } from './cost/cost-form-schema.ts';
import { endpointsFor } from './model-candidates.tsx';
import { ModelFields } from './model-fields.tsx';
import { newModelForm, toRolesText } from './model-form-schema.ts';
import { toPriceFields } from './price-form-schema.ts';

type NewModelFormProps = { template: ModelTemplate | null; channel: ChannelView };

const BLANK = {
  id: '',
  kind: undefined,
  endpoint: undefined,
  parameters: {},
  referenceRoles: ['reference' as const],
  price: { unit: 'call' as const, credits: 1 },
  maxPromptCharacters: 4_000,
  maxReferences: 0,
  createTimeoutSeconds: 300,
  deadlineSeconds: 3_600,
};

/** A model on this channel: what its protocol makes decides the kinds and endpoints that are offered. */
export function NewModelForm({ template, channel }: NewModelFormProps) {
  const t = useT(adminTexts);
  const { id, parameters, referenceRoles, price, ...known } = template ?? BLANK;
  const kinds = KINDS.filter((kind) => endpointsFor(channel, kind).length > 0);
  const [kind, setKind] = useState<Kind | undefined>(known.kind ?? kinds[0]);
  const endpoints = kind ? endpointsFor(channel, kind) : [];
  const [form, fields] = useZodForm('new-model', newModelForm, {
    defaultValue: {
      ...known,
      kind,
      endpoint: known.endpoint ?? endpoints[0],
      slug: id,
      sortOrder: 0,
      price: toPriceFields(price),
      cost: toCostFields(null),
      referenceRoles: toRolesText(referenceRoles),
      parameters: JSON.stringify(parameters, null, 2),
    },
  });
  return (
    <Panel id="model" title={t('newModel.theModel')}>
      <Form
        method="post"
        {...getFormProps(form)}
        onChange={({ target }) => {
          if (target instanceof HTMLSelectElement && target.name === 'kind')
            setKind(KINDS.find((name) => name === target.value));
        }}
      >
        <input type="hidden" name="channelId" value={channel.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextField field={fields.slug} label={t('newModel.slug')} autoComplete="off" />
            <SelectField
              field={fields.kind}
              label={t('newModel.kind')}
              options={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
            />
            <SelectField field={fields.endpoint} label={t('newModel.endpoint')} options={endpoints} />
          </SimpleGrid>
          <ModelFields fields={fields} form={form} />
          <Group>
            <SubmitButton>{t('newModel.add')}</SubmitButton>
            <Button component={Link} to="/admin/models" variant="default">
              {t('back')}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}
