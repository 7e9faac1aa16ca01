import { Form, useNavigate } from '@remix-run/react';
import type { TFunction } from 'i18next';
import { Check, Clock } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { isFree } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import { describeRoles } from './reference-roles.ts';

type ModelPickerProps = {
  /** Of one kind. */
  models: readonly ModelView[];
  chosen: ModelView;
  hrefFor: (model: ModelView) => string;
};

/** The models of a kind: what they are good for, what they cost, how long they take and what they can be given. */
export function ModelPicker({ models, chosen, hrefFor }: ModelPickerProps) {
  const t = useT(workbenchTexts);
  const navigate = useNavigate();
  const hydrated = useHydrated();
  // Arrow keys go on at once, whenever the page follows.
  const [picked, setPicked] = useState(chosen.slug);
  useEffect(() => setPicked(chosen.slug), [chosen.slug]);
  const pick = (model: ModelView) => {
    setPicked(model.slug);
    navigate(hrefFor(model), { replace: true, preventScrollReset: true });
  };

  return (
    <Form method="get" action="/workbench" preventScrollReset replace>
      {keptParams(hrefFor(chosen)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <fieldset className={classes.modelSet}>
        <legend className={classes.label}>{t('model.label')}</legend>
        <div className={classes.models}>
          {models.map((model) => (
            <ModelCard
              key={model.slug}
              model={model}
              isPicked={model.slug === picked}
              onPick={() => pick(model)}
            />
          ))}
        </div>
      </fieldset>
      {hydrated || models.length < 2 ? null : (
        <noscript>
          <button type="submit" className={classes.showModel}>
            {t('model.show')}
          </button>
        </noscript>
      )}
    </Form>
  );
}

type ModelCardProps = { model: ModelView; isPicked: boolean; onPick: () => void };

function ModelCard({ model, isPicked, onPick }: ModelCardProps) {
  const t = useT(workbenchTexts);
  const format = useFormat();
  const id = useId();
  const time = typicalTime(t, model.typicalSeconds);
  return (
    <label className={classes.model}>
      <input
        type="radio"
        name="model"
        value={model.slug}
        checked={isPicked}
        onChange={onPick}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-price ${id}-text ${id}-facts`}
      />
      <span className={classes.modelHead}>
        <span id={`${id}-title`} className={classes.modelTitle}>
          {model.title}
        </span>
        <span id={`${id}-price`} className={classes.modelPrice}>
          {isFree(model.price) ? t('model.free') : format.price(model.price)}
        </span>
      </span>
      <span id={`${id}-text`} className={classes.modelText}>
        {model.description}
      </span>
      <span id={`${id}-facts`} className={classes.modelFacts}>
        {time ? (
          <span title={time.long}>
            <Clock size={12} aria-hidden />
            {time.short}
          </span>
        ) : null}
        <span>{whatItTakes(t, model)}</span>
        {model.cancellable ? <span>{t('model.cancellable')}</span> : null}
      </span>
      <Check size={16} aria-hidden className={classes.modelCheck} />
    </label>
  );
}

/** Everything of the address but the model, which the form sends itself. */
function keptParams(href: string): [string, string][] {
  return [...new URLSearchParams(href.split('?')[1])].filter(([name]) => name !== 'model');
}

function whatItTakes(t: TFunction<'workbench'>, model: ModelView): string {
  if (model.maxReferences === 0) return t('model.noReferences');
  if (model.referenceRoles.every((role) => role === 'reference'))
    return t('model.references', { count: model.maxReferences });
  return t('model.frames', { roles: describeRoles(t, model.referenceRoles, model.maxReferences).label });
}

function typicalTime(t: TFunction<'workbench'>, typical: ModelView['typicalSeconds']) {
  if (typical === null) return null;
  const seconds = Math.max(1, Math.round(typical.p50));
  if (seconds < 90)
    return { short: t('model.typicalSeconds', { seconds }), long: t('model.usuallySeconds', { seconds }) };
  const minutes = Math.round(seconds / 60);
  return { short: t('model.typicalMinutes', { minutes }), long: t('model.usuallyMinutes', { minutes }) };
}
