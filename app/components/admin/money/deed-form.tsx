import { getFormProps } from '@conform-to/react';
import { Group, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import type { ReactNode } from 'react';
import { FormProblems, type FormProblemsProps } from './form-problems.tsx';

type DeedFormProps = FormProblemsProps & {
  intent: string;
  /** Sent without being shown. */
  values: Record<string, string>;
  /** Accessible name. */
  label: string;
  /** Leaves the page where it is; otherwise the answer at its top comes into sight. */
  preventScrollReset?: boolean;
  buttons: ReactNode;
  children: ReactNode;
};

/** A form of a panel: its fields, its buttons, and what is wrong with what it sends without showing it. */
export function DeedForm({
  form,
  fields,
  intent,
  values,
  label,
  preventScrollReset = false,
  buttons,
  children,
}: DeedFormProps) {
  return (
    <Form method="post" preventScrollReset={preventScrollReset} {...getFormProps(form)} aria-label={label}>
      <input type="hidden" name="intent" value={intent} />
      {Object.entries(values).map(([name, value]) => (
        // A browser that restores an old key would send a deed that is done already.
        <input key={name} type="hidden" name={name} value={value} autoComplete="off" />
      ))}
      <Stack gap="md" maw={760}>
        <FormProblems form={form} fields={fields} />
        {children}
        <Group>{buttons}</Group>
      </Stack>
    </Form>
  );
}
