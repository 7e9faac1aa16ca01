import { Link } from '@remix-run/react';
import { Check } from 'lucide-react';
import { useId } from 'react';
import { formatPrice } from '#app/lib/format.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './composer.module.css';

type ModelPickerProps = {
  /** Of one kind. */
  models: readonly ModelView[];
  chosen: ModelView;
  hrefFor: (model: ModelView) => string;
};

/** The models of a kind with what they are good for and what they cost. */
export function ModelPicker({ models, chosen, hrefFor }: ModelPickerProps) {
  const headingId = useId();
  return (
    <nav aria-labelledby={headingId}>
      <h2 id={headingId} className={classes.label}>
        Model
      </h2>
      <ul className={classes.models}>
        {models.map((model) => (
          <li key={model.slug}>
            <Link
              to={hrefFor(model)}
              replace
              preventScrollReset
              className={classes.model}
              aria-current={model.slug === chosen.slug ? 'true' : undefined}
            >
              <span className={classes.modelHead}>
                <span className={classes.modelTitle}>{model.title}</span>
                <span className={classes.modelPrice}>
                  {model.price.credits === 0 ? 'free' : formatPrice(model.price)}
                </span>
              </span>
              {model.description ? <span className={classes.modelText}>{model.description}</span> : null}
              <Check size={16} aria-hidden className={classes.modelCheck} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
