import { getFormProps } from '@conform-to/react';
import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import type { DryRunView } from '#server/providers/custom/dry-run/schemas.ts';
import { AuthFields, CreatePanel } from './custom-create-panel.tsx';
import classes from './custom-form.module.css';
import { JobPanel, PlacesPanel, SpecialPanel } from './custom-job-panels.tsx';
import { TryPanel } from './custom-try-panel.tsx';
import { type CustomDefaults, useCustomForm } from './use-custom-form.ts';

type CustomFormProps = { defaults: CustomDefaults; result: DryRunView | null };

/** Describes a protocol, tries it on samples, and saves it as a channel, or changes the channel that has it. */
export function CustomForm({ defaults, result }: CustomFormProps) {
  const t = useT(adminTexts);
  const [form, fields] = useCustomForm(defaults);
  const { channelId } = defaults;
  const settingsErrors = fields.settings.errors;
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      {channelId === undefined ? null : <input type="hidden" name="channelId" value={channelId} />}
      <div className={classes.root}>
        <Stack gap="lg">
          <FormErrors form={form} />
          {settingsErrors ? <ErrorMessage message={settingsErrors.join(' ')} /> : null}
          <Panel id="account" title={t('custom.account')}>
            <Stack gap="md">
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <TextField field={fields.name} label={t('custom.name')} autoComplete="off" />
                <TextField
                  field={fields.baseUrl}
                  label={t('custom.baseUrl')}
                  placeholder="https://api.vendor.example/v2"
                  inputMode="url"
                  autoComplete="off"
                />
              </SimpleGrid>
              {channelId === undefined ? (
                <PasswordField
                  field={fields.apiKey}
                  label={t('custom.apiKey')}
                  description={t('custom.apiKeyHelp')}
                  autoComplete="off"
                />
              ) : null}
              <AuthFields field={fields.settings} />
            </Stack>
          </Panel>
          <CreatePanel field={fields.settings} />
          <PlacesPanel field={fields.settings} />
          <JobPanel field={fields.settings} />
          <SpecialPanel field={fields.settings} />
        </Stack>
        <div className={classes.side}>
          <TryPanel field={fields.sample} result={result} />
        </div>
        <Group>
          <SubmitButton name="intent" value="save">
            {channelId === undefined ? t('custom.saveNew') : t('custom.saveOld')}
          </SubmitButton>
          <Button
            component={Link}
            to={channelId === undefined ? '/admin/channels' : `/admin/channels/${channelId}`}
            variant="default"
          >
            {t('back')}
          </Button>
        </Group>
      </div>
    </Form>
  );
}
