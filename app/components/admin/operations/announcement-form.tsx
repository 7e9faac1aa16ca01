import { getInputProps } from '@conform-to/react';
import { SimpleGrid, TextInput } from '@mantine/core';
import { SelectField, SubmitButton, TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { refusalOf } from '#app/components/ui/refusal.tsx';
import { useT } from '#app/lib/language.tsx';
import { usePageClock } from '#app/lib/page-clock.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import { ANNOUNCEMENT_LEVELS } from '#server/operations/schemas.ts';
import { DeedForm } from '../money/deed-form.tsx';
import { useActionKey } from '../money/use-action-key.ts';
import { announcementForm } from './announcement-schema.ts';

const FIELDS = ['level', 'en', 'zhCn', 'startsAt', 'endsAt'];

/** Writes a sentence for everybody, now or for later. */
export function AnnouncementForm({ formKey }: { formKey: string }) {
  const t = useT(operationsTexts);
  const key = useActionKey(formKey);
  // As all moments of the page; where nobody has told a zone, they are in UTC.
  const zone = usePageClock().timeZone ?? 'UTC';
  const [form, fields] = useZodForm('announce', announcementForm, { defaultValue: { level: 'info' } });
  const times = [
    {
      field: fields.startsAt,
      label: t('announcements.startsAt', { zone }),
      hint: t('announcements.startsHint'),
    },
    { field: fields.endsAt, label: t('announcements.endsAt', { zone }), hint: t('announcements.endsHint') },
  ];
  return (
    <Panel title={t('announcements.add')} id="announcement">
      <DeedForm
        form={form}
        fields={FIELDS}
        intent="announce"
        values={{ key, timeZone: zone }}
        label={t('announcements.add')}
        buttons={
          <SubmitButton name="button" value="announce">
            {t('announcements.save')}
          </SubmitButton>
        }
      >
        <TextareaField
          field={fields.en}
          label={t('announcements.en')}
          lang="en"
          autosize
          minRows={2}
          maxLength={500}
        />
        <TextareaField
          field={fields.zhCn}
          label={t('announcements.zhCn')}
          description={t('announcements.zhCnHint')}
          autosize
          minRows={2}
          maxLength={500}
        />
        <SelectField
          field={fields.level}
          label={t('announcements.level')}
          options={ANNOUNCEMENT_LEVELS.map((level) => ({
            value: level,
            label: t(`announcements.levels.${level}`),
          }))}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {times.map(({ field, label, hint }) => {
            const { key: _key, ...input } = getInputProps(field, {
              type: 'datetime-local',
              ariaAttributes: false,
            });
            return (
              <TextInput
                key={field.id}
                {...input}
                label={label}
                description={hint}
                error={refusalOf(field.errors)}
              />
            );
          })}
        </SimpleGrid>
      </DeedForm>
    </Panel>
  );
}
