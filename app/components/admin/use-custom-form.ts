import type { FieldMetadata } from '@conform-to/react';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { customForm, type DescriptionText, type SampleText } from './custom-form-schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: Conform's types are invariant in the form, and the inputs take any form
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
