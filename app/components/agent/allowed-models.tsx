import { Checkbox } from '@mantine/core';
import { useId } from 'react';
import { KIND_LOOKS } from '#app/components/ui/kind-looks.ts';
import { isFree } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { agentTexts } from '#app/locales/agent.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import { statesTexts } from '#app/locales/states.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './agent-composer.module.css';
import { makingModels } from './agent-form.ts';

type AllowedModelsProps = {
  models: readonly ModelView[];
  /** Slugs that are ticked at first; none given: the first model of pictures. */
  initial: readonly string[] | undefined;
  error: string | undefined;
};

/** What the agent may use, by kind, with prices. Native checkboxes: read by their names before hydration, too. */
export function AllowedModels({ models, initial, error }: AllowedModelsProps) {
  const id = useId();
  const t = useT(agentTexts);
  const common = useT(compositeTexts);
  const format = useFormat();
  const states = useT(statesTexts);
  const groups = makingModels(models);
  const ticked =
    initial ?? groups.slice(0, 1).flatMap((group) => group.models.slice(0, 1).map(({ slug }) => slug));
  return (
    <fieldset className={classes.group} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={classes.legend}>{t('form.allowed')}</legend>
      <div className={classes.kinds}>
        {groups.map(({ kind, models: ofKind }) => {
          const { Icon } = KIND_LOOKS[kind];
          return (
            <fieldset key={kind} className={classes.kind}>
              <legend className={classes.kindTitle}>
                <Icon size={16} strokeWidth={1.75} aria-hidden />
                {states(`kinds.${kind}`)}
              </legend>
              {ofKind.map((model) => (
                <Checkbox
                  key={model.slug}
                  name="allowed"
                  value={model.slug}
                  defaultChecked={ticked.includes(model.slug)}
                  // In the label, so that it is read out with the box.
                  label={
                    <>
                      {model.title}{' '}
                      <span className={classes.price}>
                        {isFree(model.price) ? common('model.free') : format.price(model.price)}
                      </span>
                    </>
                  }
                />
              ))}
            </fieldset>
          );
        })}
      </div>
      {error ? (
        <p id={`${id}-error`} className={classes.error}>
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
