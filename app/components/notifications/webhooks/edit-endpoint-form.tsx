import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { CheckboxField, FormErrors, SubmitButton } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import { type EndpointView, updateEndpointForm } from '#server/notifications/schemas.ts';
import { EndpointFields } from './endpoint-fields.tsx';

export function EditEndpointForm({ endpoint }: { endpoint: EndpointView }) {
  const t = useT(notificationsTexts);
  const { id, url, description, events, enabled } = endpoint;
  const [form, fields] = useZodForm('update-endpoint', updateEndpointForm, {
    defaultValue: { url, description, events, enabled },
  });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      <input type="hidden" name="intent" value="update-endpoint" />
      <input type="hidden" name="endpointId" value={id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <CheckboxField
          field={fields.enabled}
          label={t('webhooks.enabled')}
          description={t('webhooks.enabledHelp')}
        />
        <EndpointFields fields={fields} />
        <Group>
          <SubmitButton name="button" value="update-endpoint">
            {t('webhooks.save')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
