import { getCollectionProps } from '@conform-to/react';
import { Input, Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { refusalOf } from '#app/components/ui/refusal.tsx';

type RadioFieldProps = {
  field: Parameters<typeof getCollectionProps>[0] & { id: string; errorId: string; errors?: string[] };
  label: string;
  options: readonly { value: string; label: string; description?: ReactNode }[];
};

/** One of a few, all of them in sight; the browser's own radio buttons. */
export function RadioField({ field, label, options }: RadioFieldProps) {
  const labelId = `${field.id}-label`;
  const byValue = new Map(options.map((option) => [option.value, option]));
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id: labelId }}
      error={refusalOf(field.errors)}
      errorProps={{ id: field.errorId }}
      role="radiogroup"
      aria-labelledby={labelId}
      aria-describedby={field.errors ? field.errorId : undefined}
    >
      <Stack gap="xs" mt={4} mb={4}>
        {getCollectionProps(field, {
          type: 'radio',
          options: options.map((option) => option.value),
          ariaAttributes: false,
        }).map(({ key, ...input }) => (
          <Radio
            key={key}
            {...input}
            label={byValue.get(input.value)?.label}
            description={byValue.get(input.value)?.description}
          />
        ))}
      </Stack>
    </Input.Wrapper>
  );
}
