import { Button } from '@mantine/core';
import { SlidersHorizontal } from 'lucide-react';
import { ParameterFields } from '#app/components/parameters/parameter-fields.tsx';
import { fittingParameters } from '#app/components/parameters/parameter-values.ts';
import { useT } from '#app/lib/language.tsx';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import type { GivenParameters } from './use-start.ts';

type ComposerParametersProps = {
  model: ModelView;
  /** What an earlier order, a draft or a preset brings along. */
  given: GivenParameters;
  /** The form as it came back, with an error. */
  form: { initialValue?: unknown; allErrors: Record<string, string[] | undefined> };
  /** Left out: there are no presets. */
  onPresets?: () => void;
};

/** The parameters of a model, with what they are to begin with. */
export function ComposerParameters({ model, given, form, onPresets }: ComposerParametersProps) {
  const t = useT(workbenchTexts);
  const hydrated = useHydrated();
  return (
    <>
      {onPresets && Object.keys(model.parameters).length > 0 ? (
        <div className={classes.parametersHead}>
          <h2 className={classes.label}>{t('parameters.heading')}</h2>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<SlidersHorizontal size={13} aria-hidden />}
            disabled={!hydrated}
            aria-haspopup="dialog"
            onClick={onPresets}
          >
            {t('presets')}
          </Button>
        </div>
      ) : null}
      <ParameterFields
        key={`${model.slug} ${given.turn}`}
        schema={model.parameters}
        initial={
          (given.turn === 0 ? initialParameters(form.initialValue, model.slug) : undefined) ??
          givenParameters(given, model)
        }
        errors={parameterErrors(form.allErrors)}
      />
    </>
  );
}

/** What was sent for this model's parameters, when the form came back with an error. */
function initialParameters(initial: unknown, model: string): Record<string, unknown> | undefined {
  if (typeof initial !== 'object' || initial === null || !('params' in initial)) return undefined;
  const { params } = initial;
  if (!('model' in initial) || initial.model !== model) return undefined;
  return typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : undefined;
}

/** Parameters that an earlier order, a draft or a preset brings along; each is for one model. */
function givenParameters({ model: slug, params }: GivenParameters, model: ModelView) {
  return slug === model.slug ? fittingParameters(model.parameters, params) : undefined;
}

/** Errors of `params.<name>` by parameter. */
function parameterErrors(all: Record<string, string[] | undefined>): Record<string, string[] | undefined> {
  const prefix = 'params.';
  return Object.fromEntries(
    Object.entries(all).flatMap(([field, errors]) =>
      field.startsWith(prefix) ? [[field.slice(prefix.length), errors] as const] : [],
    ),
  );
}
