import { getFormProps, getInputProps, getSelectProps } from '@conform-to/react';
import { Code, NativeSelect, TextInput } from '@mantine/core';
import { Form } from '@remix-run/react';
import type { ReactElement } from 'react';
import { ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { refusalOf } from '#app/components/ui/refusal.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { deedName } from '#app/lib/deed.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import { type PolicyView, setPolicyInput } from '#server/operations/schemas.ts';
import classes from './operations.module.css';

type PolicyRowView = Omit<PolicyView, 'setAt'> & { setAt: Date | string | null };

/** One policy: what it means, what holds and where that comes from, and a form of one field. */
export function PolicyRow({ policy }: { policy: PolicyRowView }) {
  const t = useT(operationsTexts);
  const format = useFormat();
  const { key, unit, setAt, setByEmail, environment } = policy;
  const title = t(`policies.keys.${key}.title`);
  const words = (value: PolicyView['value']) =>
    typeof value === 'boolean'
      ? t(value ? 'policies.on' : 'policies.off')
      : `${Number.isInteger(value) ? format.integer(value) : value}${unit ? ` ${t(`policies.units.${unit}`)}` : ''}`;
  return (
    <li className={classes.policy}>
      <div>
        <h3 className={classes.name}>{title}</h3>
        <p className={classes.about}>{t(`policies.keys.${key}.text`)}</p>
        <div className={classes.origin}>
          <Code>{key}</Code>
          <span>{t('policies.environment', { value: words(environment) })}</span>
          {setAt ? (
            <span>
              {t('policies.setBy', { who: setByEmail ?? t('commandLine') })} · <TimeAgo at={setAt} />
            </span>
          ) : null}
        </div>
      </div>
      <div>
        <PolicyForm policy={policy} title={title} />
        {setAt ? (
          <div className={classes.reset}>
            <ActionForm intent="reset-policy" values={{ key }}>
              <ConfirmButton
                size="xs"
                variant="subtle"
                color="gray"
                confirmLabel={t('policies.resetSure')}
                aria-label={t('policies.resetOne', { policy: title })}
              >
                {t('policies.reset')}
              </ConfirmButton>
            </ActionForm>
          </div>
        ) : null}
      </div>
    </li>
  );
}

function PolicyForm({ policy, title }: { policy: PolicyRowView; title: string }) {
  const t = useT(operationsTexts);
  const { key, type, unit, bounds, value } = policy;
  const [form, fields] = useZodForm(deedName('set-policy', key), setPolicyInput, {
    defaultValue: { key, value: typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value) },
  });
  const error = refusalOf([...(fields.value.errors ?? []), ...(form.errors ?? [])]);
  return (
    <Form
      method="post"
      preventScrollReset
      {...getFormProps(form)}
      aria-label={title}
      className={classes.form}
    >
      <input type="hidden" name="intent" value="set-policy" />
      <input type="hidden" name="key" value={key} />
      {bounds ? (
        <PolicyFigure
          field={fields.value}
          label={unit ? `${title} (${t(`policies.units.${unit}`)})` : title}
          hint={t('policies.range', bounds)}
          step={type === 'whole' ? 1 : 'any'}
          bounds={bounds}
          error={error}
          unit={unit ? t(`policies.units.${unit}`) : undefined}
        />
      ) : (
        <PolicySwitch field={fields.value} label={title} error={error} />
      )}
      <SubmitButton
        variant="default"
        name="button"
        value={`set-${key}`}
        aria-label={t('policies.saveOne', { policy: title })}
      >
        {t('policies.save')}
      </SubmitButton>
    </Form>
  );
}

type FieldOf = ReturnType<typeof useZodForm<typeof setPolicyInput>>[1]['value'];

function PolicyFigure({
  field,
  label,
  hint,
  step,
  bounds,
  error,
  unit,
}: {
  field: FieldOf;
  label: string;
  hint: string;
  step: number | 'any';
  bounds: { min: number; max: number };
  error: ReactElement | undefined;
  unit: string | undefined;
}) {
  const { key, ...input } = getInputProps(field, { type: 'number', ariaAttributes: false });
  return (
    <TextInput
      key={key}
      {...input}
      {...bounds}
      step={step}
      aria-label={label}
      description={hint}
      inputWrapperOrder={['input', 'description', 'error']}
      rightSection={unit ? <span className={classes.note}>{unit}</span> : undefined}
      rightSectionWidth="5.5rem"
      rightSectionPointerEvents="none"
      error={error}
    />
  );
}

function PolicySwitch({
  field,
  label,
  error,
}: {
  field: FieldOf;
  label: string;
  error: ReactElement | undefined;
}) {
  const t = useT(operationsTexts);
  const { key, defaultValue, ...input } = getSelectProps(field, { ariaAttributes: false });
  return (
    <NativeSelect
      key={key}
      {...input}
      defaultValue={typeof defaultValue === 'string' ? defaultValue : undefined}
      aria-label={label}
      error={error}
      data={[
        { value: 'on', label: t('policies.on') },
        { value: 'off', label: t('policies.off') },
      ]}
    />
  );
}
