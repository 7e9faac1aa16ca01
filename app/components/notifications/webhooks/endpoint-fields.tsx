import { type FieldMetadata, getCollectionProps } from '@conform-to/react';
import { Checkbox, Input, Stack } from '@mantine/core';
import { TextField } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#server/notifications/schemas.ts';
import { textKey } from '../notification-words.ts';

// biome-ignore lint/suspicious/noExplicitAny: FieldMetadata is invariant in its schema
type Field = FieldMetadata<any, any, string[]>;

/** Address, description and events: what a new endpoint and a changed one have in common. */
export function EndpointFields({ fields }: { fields: { url: Field; description: Field; events: Field } }) {
  const t = useT(notificationsTexts);
  return (
    <>
      <TextField
        field={fields.url}
        type="url"
        label={t('webhooks.address')}
        description={t('webhooks.addressHelp')}
        placeholder={t('webhooks.addressPlaceholder')}
        autoComplete="off"
        maw={560}
      />
      <TextField
        field={fields.description}
        label={t('webhooks.description')}
        description={t('webhooks.descriptionHelp')}
        autoComplete="off"
        maw={560}
      />
      <EventBoxes field={fields.events} />
    </>
  );
}

function EventBoxes({ field }: { field: Field }) {
  const t = useT(notificationsTexts);
  const words = useErrorWords();
  return (
    <Input.Wrapper
      label={t('webhooks.events')}
      labelElement="div"
      labelProps={{ id: `${field.id}-label` }}
      error={field.errors?.length ? words(field.errors) : undefined}
      errorProps={{ id: field.errorId }}
      role="group"
      aria-labelledby={`${field.id}-label`}
    >
      <Stack gap="xs" mt={4}>
        {getCollectionProps(field, {
          type: 'checkbox',
          options: [...WEBHOOK_EVENTS],
          ariaAttributes: false,
        }).map(({ key, ...box }) => (
          <Checkbox key={key} {...box} label={t(`webhooks.event.${textKey(box.value as WebhookEvent)}`)} />
        ))}
      </Stack>
    </Input.Wrapper>
  );
}
