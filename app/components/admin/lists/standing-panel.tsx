import { SimpleGrid, Stack } from '@mantine/core';
import { z } from 'zod';
import { DeedForm } from '#app/components/admin/money/deed-form.tsx';
import { ReasonForm } from '#app/components/admin/money/reason-form.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { SubmitButton, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { setLimitsInput, type UserStandingView } from '#server/users/schemas.ts';

const { userId, reason, inFlightLimit, dayCreditsLimit } = setLimitsInput.shape;
const noneWhenEmpty = <T extends z.ZodType>(field: T) => field.transform((value) => value ?? null);

/** The procedure's own schema, but for what a form says otherwise: an empty field is "the general one". */
export const limitsForm = z.object({
  userId,
  reason,
  inFlightLimit: noneWhenEmpty(inFlightLimit.unwrap().optional()),
  dayCreditsLimit: noneWhenEmpty(dayCreditsLimit.unwrap().optional()),
});

/** Whether a person may come in, and the limits that are their own. */
export function StandingPanel({ standing }: { standing: UserStandingView }) {
  const t = useT(adminListsTexts);
  const format = useFormat();
  const { disabledAt, deletedAt, liveTasks, userId: id } = standing;
  return (
    <Panel title={t('standing.title')} id="account" description={t('standing.help')}>
      <Stack gap="xl">
        <DefinitionList
          entries={[
            [
              t('standing.title'),
              deletedAt ? (
                t('standing.isClosed')
              ) : disabledAt ? (
                <span key="disabled">
                  {t('standing.isDisabled')} <TimeAgo at={disabledAt} style="both" />
                </span>
              ) : (
                t('standing.isOpen')
              ),
            ],
            [t('standing.live'), format.integer(liveTasks)],
          ]}
        />
        {deletedAt ? null : (
          <>
            <LimitsForm key={`${standing.inFlightLimit}-${standing.dayCreditsLimit}`} standing={standing} />
            {disabledAt ? (
              <ReasonForm
                intent="enable-user"
                id={id}
                values={{ userId: id }}
                label={t('standing.enable')}
                question={t('standing.enableWhy')}
                button={t('standing.enable')}
                confirm={t('standing.enableIt')}
              />
            ) : (
              <ReasonForm
                intent="disable-user"
                id={id}
                values={{ userId: id }}
                label={t('standing.disable')}
                question={t('standing.disableWhy')}
                button={t('standing.disable')}
                confirm={t('standing.disableIt')}
              />
            )}
          </>
        )}
      </Stack>
    </Panel>
  );
}

function LimitsForm({ standing }: { standing: UserStandingView }) {
  const t = useT(adminListsTexts);
  const format = useFormat();
  const { general } = standing;
  const [form, fields] = useZodForm('set-limits', limitsForm, {
    defaultValue: {
      inFlightLimit: standing.inFlightLimit ?? undefined,
      dayCreditsLimit: standing.dayCreditsLimit ?? undefined,
    },
  });
  return (
    <DeedForm
      form={form}
      fields={['inFlightLimit', 'dayCreditsLimit', 'reason']}
      intent="set-limits"
      values={{ userId: standing.userId }}
      label={t('standing.limits')}
      preventScrollReset
      buttons={<SubmitButton variant="default">{t('standing.save')}</SubmitButton>}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField
          field={fields.inFlightLimit}
          type="number"
          label={t('standing.inFlight')}
          description={t('standing.inFlightHelp', { count: general.inFlightLimit })}
          autoComplete="off"
        />
        <TextField
          field={fields.dayCreditsLimit}
          type="number"
          label={t('standing.dayCredits')}
          description={t('standing.dayCreditsHelp', {
            limit:
              general.dayCreditsLimit === null
                ? t('standing.noLimit')
                : format.credits(general.dayCreditsLimit),
          })}
          autoComplete="off"
        />
      </SimpleGrid>
      <TextareaField field={fields.reason} label={t('standing.whyLimits')} autosize minRows={1} />
    </DeedForm>
  );
}
