import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { ParameterSchema, ParameterSpec } from '#server/generation/schemas.ts';
import { aspectOptions } from './aspect-options.ts';
import { AspectPicker } from './aspect-picker.tsx';
import { parameterLabel } from './parameter-label.ts';
import { parameterField } from './parameter-values.ts';
import classes from './parameters.module.css';

type ParameterFieldsProps = {
  schema: ParameterSchema;
  /** Values to start with, by parameter; a form that came back with an error keeps what was typed. */
  initial?: Record<string, unknown>;
  /** Messages by parameter. */
  errors?: Record<string, string[] | undefined>;
};

/** Integers in a range this small are buttons to choose from instead of a number to type. */
const MOST_SEGMENTS = 6;
const LONGEST_SEGMENT = 12;

/** The parameters of a model, in its order. Native inputs: they work before hydration and are read by their names. */
export function ParameterFields({ schema, initial = {}, errors = {} }: ParameterFieldsProps) {
  return (
    <>
      {Object.entries(schema).map(([name, spec]) => (
        <ParameterField key={name} name={name} spec={spec} initial={initial[name]} errors={errors[name]} />
      ))}
    </>
  );
}

type FieldProps = { name: string; spec: ParameterSpec; initial: unknown; errors: string[] | undefined };

function ParameterField({ name, spec, initial, errors }: FieldProps) {
  const t = useT(workbenchTexts);
  const format = useFormat();
  const field = parameterField(name);
  const label = parameterLabel(t, spec.label);
  const words = useErrorWords();
  const error = errors?.length ? words(errors) : undefined;
  switch (spec.type) {
    case 'integer': {
      const value = String(initial ?? spec.default);
      const count = spec.maximum - spec.minimum + 1;
      if (count >= 2 && count <= MOST_SEGMENTS) {
        const options = Array.from({ length: count }, (_, index) => String(spec.minimum + index));
        return <Segments field={field} label={label} options={options} value={value} error={error} />;
      }
      return (
        <TextInput
          type="number"
          name={field}
          label={label}
          description={t('parameters.range', {
            minimum: format.integer(spec.minimum),
            maximum: format.integer(spec.maximum),
          })}
          min={spec.minimum}
          max={spec.maximum}
          step={1}
          required
          withAsterisk={false}
          inputMode="numeric"
          defaultValue={value}
          error={error}
        />
      );
    }
    case 'choice': {
      const value = String(initial ?? spec.default);
      const shapes = aspectOptions(spec.options);
      if (shapes)
        return <AspectPicker field={field} label={label} options={shapes} value={value} error={error} />;
      const short =
        spec.options.length <= 4 && spec.options.every((option) => option.length <= LONGEST_SEGMENT);
      if (short && spec.options.length > 1) {
        return <Segments field={field} label={label} options={spec.options} value={value} error={error} />;
      }
      return (
        <NativeSelect
          name={field}
          label={label}
          data={spec.options}
          defaultValue={value}
          error={error}
          data-parameter={name}
        />
      );
    }
    case 'text': {
      const shared = {
        name: field,
        label,
        defaultValue: String(initial ?? spec.default),
        maxLength: spec.maxLength,
        error,
      };
      return spec.maxLength > 200 ? <Textarea {...shared} rows={3} /> : <TextInput {...shared} />;
    }
    case 'seed':
      return (
        <TextInput
          type="number"
          name={field}
          label={label}
          description={t('parameters.seedRange', { maximum: format.integer(spec.maximum) })}
          min={0}
          max={spec.maximum}
          step={1}
          inputMode="numeric"
          placeholder={t('parameters.any')}
          defaultValue={initial === undefined ? '' : String(initial)}
          error={error}
        />
      );
    case 'boolean':
      return (
        <Switch
          name={field}
          label={label}
          defaultChecked={initial === undefined ? spec.default : initial === true || initial === 'on'}
          error={error}
        />
      );
  }
}

type SegmentsProps = {
  field: string;
  label: string;
  options: string[];
  value: string;
  error: string | undefined;
};

/** A few values side by side: radio buttons in their own clothes. Arrow keys move, as in any radio group. */
function Segments({ field, label, options, value, error }: SegmentsProps) {
  const errorId = useId();
  return (
    <fieldset className={classes.segments} aria-describedby={error ? errorId : undefined}>
      <legend>{label}</legend>
      <div className={classes.track}>
        {options.map((option) => (
          <label key={option} className={classes.segment}>
            <input
              type="radio"
              name={field}
              value={option}
              defaultChecked={option === value}
              aria-invalid={error ? true : undefined}
            />
            <span>{option}</span>
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
