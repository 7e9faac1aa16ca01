import { useId } from 'react';
import { type AspectOption, drawnSize } from './aspect-options.ts';
import classes from './parameters.module.css';

type AspectPickerProps = {
  field: string;
  label: string;
  options: readonly AspectOption[];
  value: string;
  error: string | undefined;
};

const LONGER_SIDE = 22;

/** Shapes to choose from, each drawn beside its name: radio buttons in their own clothes. */
export function AspectPicker({ field, label, options, value, error }: AspectPickerProps) {
  const errorId = useId();
  return (
    <fieldset className={classes.segments} aria-describedby={error ? errorId : undefined}>
      <legend>{label}</legend>
      <div className={classes.shapes}>
        {options.map((option) => (
          <label key={option.value} className={classes.shape}>
            <input
              type="radio"
              name={field}
              value={option.value}
              defaultChecked={option.value === value}
              aria-invalid={error ? true : undefined}
            />
            <span className={classes.shapeBody}>
              <span className={classes.shapeFrame} aria-hidden>
                <span
                  className={classes.drawn}
                  data-open={option.shape === null || undefined}
                  style={drawnSize(option.shape ?? { width: 1, height: 1 }, LONGER_SIDE)}
                />
              </span>
              {option.value}
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
