import {
  type FieldMetadata,
  type FormMetadata,
  getInputProps,
  getSelectProps,
  getTextareaProps,
} from '@conform-to/react';
import {
  Button,
  type ButtonProps,
  Checkbox,
  NativeSelect,
  PasswordInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useNavigation } from '@remix-run/react';
import type { ComponentProps, ReactNode } from 'react';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { commonTexts } from '#app/locales/common.ts';
import { ErrorMessage } from './error-message.tsx';

/**
 * Conform fields as Mantine inputs. They are plain inputs before hydration, keep what was typed when the server
 * answers with an error, and Mantine ties label, help and error together (so conform's own aria attributes are off).
 */

// The field's value type does not matter to an input: everything is text on the wire.
// biome-ignore lint/suspicious/noExplicitAny: FieldMetadata is invariant in its schema
type Field = FieldMetadata<any, any, string[]>;

type FieldProps = { field: Field; label: ReactNode; description?: ReactNode };

/** What is wrong with the field, in the page's language. */
function useFieldError(field: Field): string | undefined {
  const words = useErrorWords();
  return field.errors?.length ? words(field.errors) : undefined;
}

type TextFieldProps = FieldProps &
  Omit<ComponentProps<typeof TextInput>, 'label' | 'description' | 'error' | 'type'> & {
    type?: 'text' | 'email' | 'url' | 'search' | 'number' | 'date';
  };

/** One line of text; `type="number"` is the browser's own number box, which needs no script. */
export function TextField({ field, label, description, type = 'text', ...rest }: TextFieldProps) {
  const error = useFieldError(field);
  const { key, ...input } = getInputProps(field, { type, ariaAttributes: false });
  return <TextInput key={key} {...input} {...rest} label={label} description={description} error={error} />;
}

type PasswordFieldProps = FieldProps & {
  autoComplete: 'current-password' | 'new-password' | 'off';
  size?: 'sm' | 'md';
};

/** A secret. Its value never comes back from the server. */
export function PasswordField({ field, label, description, autoComplete, size }: PasswordFieldProps) {
  const error = useFieldError(field);
  const t = useT(commonTexts);
  const {
    key,
    defaultValue: _never,
    ...input
  } = getInputProps(field, { type: 'password', ariaAttributes: false });
  return (
    <PasswordInput
      key={key}
      {...input}
      size={size}
      label={label}
      description={description}
      error={error}
      autoComplete={autoComplete}
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
    />
  );
}

type TextareaFieldProps = FieldProps &
  Omit<ComponentProps<typeof Textarea>, 'label' | 'description' | 'error'>;

export function TextareaField({ field, label, description, ...rest }: TextareaFieldProps) {
  const error = useFieldError(field);
  const { key, ...input } = getTextareaProps(field, { ariaAttributes: false });
  return <Textarea key={key} {...input} {...rest} label={label} description={description} error={error} />;
}

export type SelectOption = string | { value: string; label: string };

/** The browser's own select: works without a script and is the best list there is on a phone. */
export function SelectField({
  field,
  label,
  description,
  options,
}: FieldProps & { options: readonly SelectOption[] }) {
  const error = useFieldError(field);
  const { key, ...input } = getSelectProps(field, { ariaAttributes: false });
  return (
    <NativeSelect
      key={key}
      {...input}
      // Conform types the default as one or many; a single select has one.
      defaultValue={typeof input.defaultValue === 'string' ? input.defaultValue : undefined}
      data={options.map((option) => (typeof option === 'string' ? { value: option, label: option } : option))}
      label={label}
      description={description}
      error={error}
    />
  );
}

export function CheckboxField({ field, label, description }: FieldProps) {
  const error = useFieldError(field);
  const { key, ...input } = getInputProps(field, { type: 'checkbox', ariaAttributes: false });
  return <Checkbox key={key} {...input} label={label} description={description} error={error} />;
}

/** Errors that belong to the whole form. */
// biome-ignore lint/suspicious/noExplicitAny: FormMetadata is invariant in its schema
export function FormErrors({ form }: { form: FormMetadata<any, string[]> }) {
  const words = useErrorWords();
  if (!form.errors?.length) return null;
  return <ErrorMessage id={form.errorId} message={words(form.errors)} />;
}

type SubmitButtonProps = ButtonProps & {
  children: ReactNode;
  /** Sent with the form: which of several buttons was pressed. */
  name?: string;
  value?: string;
  'aria-label'?: string;
};

/** Submits its form; busy while the page's navigation carries that form. */
export function SubmitButton({ children, name, value, ...rest }: SubmitButtonProps) {
  const navigation = useNavigation();
  const mine = name === undefined || navigation.formData?.get(name) === value;
  const busy = navigation.state !== 'idle' && navigation.formMethod === 'POST' && mine;
  return (
    <Button type="submit" name={name} value={value} loading={busy} {...rest}>
      {children}
    </Button>
  );
}
