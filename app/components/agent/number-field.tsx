import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

type NumberFieldProps = {
  id: string;
  name: string;
  label: string;
  description: ReactNode;
  min: number;
  max: number;
  value: string | number;
  error: string | undefined;
};

/** The browser's own number box, which needs no script. */
export function NumberField({ value, ...rest }: NumberFieldProps) {
  return (
    <TextInput
      {...rest}
      type="number"
      step={1}
      inputMode="numeric"
      required
      withAsterisk={false}
      defaultValue={String(value)}
    />
  );
}
