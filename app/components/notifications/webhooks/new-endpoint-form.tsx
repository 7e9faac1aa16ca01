import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SubmitButton } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import { createEndpointInput } from '#server/notifications/schemas.ts';
import { EndpointFields } from './endpoint-fields.tsx';

export function NewEndpointForm() {
  const t = useT(notificationsTexts);
  const [form, fields] = useZodForm('create-endpoint', createEndpointInput, {
    defaultValue: { events: ['task.succeeded', 'task.failed', 'task.needs_you'] },
  });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      <input type="hidden" name="intent" value="create-endpoint" />
      <Stack gap="md">
        <FormErrors form={form} />
        <EndpointFields fields={fields} />
        <Group>
          <SubmitButton name="button" value="create-endpoint">
            {t('webhooks.add')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
