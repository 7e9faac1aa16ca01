import { getFormProps } from '@conform-to/react';
import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import type { DryRunView } from '#server/providers/custom/dry-run/schemas.ts';
import { AuthFields, CreatePanel } from './custom-create-panel.tsx';
import classes from './custom-form.module.css';
import { JobPanel, PlacesPanel, SpecialPanel } from './custom-job-panels.tsx';
import { TryPanel } from './custom-try-panel.tsx';
import { type CustomDefaults, useCustomForm } from './use-custom-form.ts';

type CustomFormProps = { defaults: CustomDefaults; result: DryRunView | null };

/** Describes a protocol, tries it on samples, and saves it as a channel, or changes the channel that has it. */
export function CustomForm({ defaults, result }: CustomFormProps) {
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
          <Panel title="Account">
            <Stack gap="md">
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <TextField field={fields.name} label="Name" autoComplete="off" />
                <TextField
                  field={fields.baseUrl}
                  label="Base URL"
                  placeholder="https://api.vendor.example/v2"
                  inputMode="url"
                  autoComplete="off"
                />
              </SimpleGrid>
              {channelId === undefined ? (
                <PasswordField
                  field={fields.apiKey}
                  label="API key"
                  description="Sealed at once. It leaves this server only towards the base URL."
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
            {channelId === undefined ? 'Save as channel' : 'Save the description'}
          </SubmitButton>
          <Button
            component={Link}
            to={channelId === undefined ? '/admin/channels' : `/admin/channels/${channelId}`}
            variant="default"
          >
            Back
          </Button>
        </Group>
      </div>
    </Form>
  );
}
