import type { FieldMetadata } from '@conform-to/react';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { customForm, type DescriptionText, type SampleText } from './custom-form-schema.ts';

// Conform's types are invariant in the form, which is not what the inputs are about.
// biome-ignore lint/suspicious/noExplicitAny: as above
type Field<T> = FieldMetadata<T, any, string[]>;

export type DescriptionField = Field<DescriptionText>;
export type SampleField = Field<SampleText>;

export type CustomDefaults = {
  channelId?: string;
  name?: string;
  baseUrl?: string;
  settings: DescriptionText;
  sample: { params?: string; created?: { body?: string }; polled?: { body?: string } };
};

/** The form that describes a protocol, checked by the same rules in the browser and on the server. */
export function useCustomForm(defaults: CustomDefaults) {
  return useZodForm('custom', customForm, { defaultValue: defaults as never });
}
