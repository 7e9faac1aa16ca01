import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SubmitButton } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { costsTexts } from '#app/locales/costs.ts';
import type { CandidateView } from '#server/providers/channels/models/schemas.ts';
import classes from '../model-candidates.module.css';
import { CostFields } from './cost-fields.tsx';
import { CANDIDATE_COST, candidateCostForm, toCostFields } from './cost-form-schema.ts';
import { ruleWords } from './cost-words.ts';
import { useMicros } from './use-micros.ts';

type CandidateCostProps = {
  modelId: string;
  candidate: Pick<CandidateView, 'id' | 'cost'>;
  /** Names the candidate. */
  name: string;
};

/** What upstream takes on this account: a model may be cheaper elsewhere. */
export function CandidateCost({ modelId, candidate, name }: CandidateCostProps) {
  const t = useT(costsTexts);
  const micros = useMicros();
  const intent = `${CANDIDATE_COST}${candidate.id}`;
  const [form, fields] = useZodForm(intent, candidateCostForm, {
    defaultValue: { modelId, candidateId: candidate.id, cost: toCostFields(candidate.cost) },
  });
  return (
    <details className={classes.cost} open={form.status === 'error' ? true : undefined}>
      <summary>{t('candidate.summary', { cost: ruleWords(candidate.cost, t, micros) })}</summary>
      <Form
        method="post"
        preventScrollReset
        {...getFormProps(form)}
        aria-label={t('candidate.form', { name })}
      >
        <input type="hidden" name="intent" value={intent} />
        <input type="hidden" name="modelId" value={modelId} />
        <input type="hidden" name="candidateId" value={candidate.id} />
        <Stack gap="md" mt="sm">
          <FormErrors form={form} />
          <CostFields field={fields.cost} form={form} />
          <Group>
            <SubmitButton variant="default" name="of" value={intent}>
              {t('candidate.save')}
            </SubmitButton>
          </Group>
        </Stack>
      </Form>
    </details>
  );
}
