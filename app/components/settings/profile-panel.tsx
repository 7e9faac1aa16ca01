import { getFormProps } from '@conform-to/react';
import { Group, Stack, Text, TextInput } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SelectField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { accountTexts } from '#app/locales/account.ts';
import { LANGUAGE_NAMES, LANGUAGES } from '#app/locales/languages.ts';
import type { SignedInUser } from '#server/trpc/context.ts';
import { profileForm } from './profile-form.ts';

type ProfilePanelProps = {
  user: SignedInUser;
  /** IANA names to choose from; the server's, because browsers know other ones. */
  timeZones: readonly string[];
  saved: boolean;
};

/** Name, language and time zone of a person. */
export function ProfilePanel({ user, timeZones, saved }: ProfilePanelProps) {
  const t = useT(accountTexts);
  const [form, fields] = useZodForm('profile', profileForm, {
    defaultValue: {
      displayName: user.displayName,
      language: user.language ?? undefined,
      timeZone: user.timeZone ?? undefined,
    },
  });
  const zones = [{ value: '', label: t('profile.timeZoneAuto') }, ...timeZones];
  const languages = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));
  return (
    <Panel title={t('profile.you')} id="you">
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="profile" />
        <Stack gap="md" maw={460}>
          <FormErrors form={form} />
          <TextField field={fields.displayName} label={t('profile.name')} autoComplete="name" />
          <TextInput
            label={t('profile.email')}
            description={t('profile.emailHelp')}
            value={user.email}
            readOnly
            variant="filled"
            autoComplete="off"
          />
          <SelectField
            field={fields.language}
            label={t('profile.language')}
            options={[{ value: '', label: t('profile.languageAuto') }, ...languages]}
          />
          <SelectField
            field={fields.timeZone}
            label={t('profile.timeZone')}
            description={t('profile.timeZoneHelp')}
            options={zones}
          />
          <Group>
            <SubmitButton name="button" value="profile">
              {t('profile.save')}
            </SubmitButton>
            <Text size="sm" c="dimmed" role="status">
              {saved ? t('settings.saved') : ''}
            </Text>
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}
