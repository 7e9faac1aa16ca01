import { useId } from 'react';
import classes from './composer.module.css';

type ChoiceProps = {
  name: string;
  label: string;
  options: readonly { value: string; label: string; hint?: string }[];
  defaultValue: string;
  error?: string;
};

/** A few values side by side: native radio buttons, read by their name, also before a script runs. */
export function Choice({ name, label, options, defaultValue, error }: ChoiceProps) {
  const errorId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? errorId : undefined}>
      <legend>{label}</legend>
      <div className={classes.options}>
        {options.map((option) => (
          <label key={option.value} className={classes.option}>
            <input
              type="radio"
              name={name}
              value={option.value}
              defaultChecked={option.value === defaultValue}
            />
            <span>
              {option.label}
              {option.hint ? <span className={classes.optionHint}>{option.hint}</span> : null}
            </span>
          </label>
        ))}
      </div>
      {error ? (
        <p id={errorId} className={classes.error}>
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
