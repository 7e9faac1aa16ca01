import { getFormProps } from '@conform-to/react';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { SaveRow } from '#app/components/admin/channel-forms.tsx';
import { FormErrors, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { CostGuardView } from '#server/billing/schemas.ts';
import { costGuardForm } from './money-form-schemas.ts';

/** The most that may be set aside; a submit beyond it is refused before anything is held. */
export function CostGuardPanel({ guard, saved }: { guard: CostGuardView; saved: boolean }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  const [form, fields] = useZodForm('cost-guard', costGuardForm, {
    defaultValue: {
      taskCredits: guard.taskCredits ?? undefined,
      userDayCredits: guard.userDayCredits ?? undefined,
      dayCredits: guard.dayCredits ?? undefined,
    },
  });
  return (
    <Panel
      title={t('guard.title')}
      id="guard"
      description={t('guard.help')}
      actions={
        <Text size="sm" c="dimmed">
          {guard.dayCredits === null
            ? t('guard.today', { credits: format.credits(guard.spentTodayCredits) })
            : t('guard.todayOf', {
                credits: format.credits(guard.spentTodayCredits),
                most: format.credits(guard.dayCredits),
              })}
        </Text>
      }
    >
      <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('guard.title')}>
        <input type="hidden" name="intent" value="cost-guard" />
        <Stack gap="md">
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <LimitField field={fields.taskCredits} label={t('guard.perTask')} />
            <LimitField field={fields.userDayCredits} label={t('guard.perPerson')} />
            <LimitField field={fields.dayCredits} label={t('guard.total')} />
          </SimpleGrid>
          <SaveRow intent="cost-guard" saved={saved} />
          {guard.updatedAt ? (
            <Text size="sm" c="dimmed">
              {t('guard.changed')} <TimeAgo at={guard.updatedAt} style="both" />
            </Text>
          ) : null}
        </Stack>
      </Form>
    </Panel>
  );
}

function LimitField({ field, label }: Pick<Parameters<typeof TextField>[0], 'field' | 'label'>) {
  const t = useT(adminMoneyTexts);
  return (
    <TextField
      field={field}
      type="number"
      label={label}
      description={t('guard.limitHelp')}
      autoComplete="off"
    />
  );
}
