import { Button, SimpleGrid } from '@mantine/core';
import { Link } from '@remix-run/react';
import { SelectField, SubmitButton, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { houseTexts } from '#app/locales/house.ts';
import {
  type HouseTemplateView,
  houseTemplateInput,
  TEMPLATE_LANGUAGES,
} from '#server/generation/prompts/schemas.ts';
import { TASK_KINDS } from '#server/generation/status.ts';
import { DeedForm } from '../money/deed-form.tsx';

const FIELDS = ['kind', 'language', 'name', 'prompt'];

type Edited = Pick<HouseTemplateView, 'id' | 'kind' | 'language' | 'name' | 'prompt'>;

const valuesOf = ({ kind, language, name, prompt }: Edited) => ({
  kind,
  language: language ?? undefined,
  name,
  prompt,
});

/** Writes a prompt that everybody is offered, or changes one. */
export function HouseTemplateForm({ edited }: { edited: Edited | null }) {
  const t = useT(houseTexts);
  const intent = edited ? 'change' : 'add';
  const [form, fields] = useZodForm(intent, houseTemplateInput, {
    defaultValue: edited ? valuesOf(edited) : { kind: 'image' },
  });
  return (
    <Panel title={t(intent)} id="template">
      <DeedForm
        form={form}
        fields={FIELDS}
        intent={intent}
        values={edited ? { id: edited.id } : {}}
        label={t(intent)}
        buttons={
          <>
            <SubmitButton name="button" value={intent}>
              {t(`${intent}Save`)}
            </SubmitButton>
            {edited ? (
              <Button component={Link} to="/admin/templates" variant="default">
                {t('cancel')}
              </Button>
            ) : null}
          </>
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SelectField
            field={fields.kind}
            label={t('kind')}
            options={TASK_KINDS.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) }))}
          />
          <SelectField
            field={fields.language}
            label={t('language')}
            options={[
              { value: '', label: t('languages.all') },
              ...TEMPLATE_LANGUAGES.map((value) => ({ value, label: t(`languages.${value}`) })),
            ]}
          />
        </SimpleGrid>
        <TextField field={fields.name} label={t('name')} description={t('nameHint')} maxLength={80} />
        <TextareaField
          field={fields.prompt}
          label={t('prompt')}
          description={t('promptHint')}
          autosize
          minRows={4}
        />
      </DeedForm>
    </Panel>
  );
}
