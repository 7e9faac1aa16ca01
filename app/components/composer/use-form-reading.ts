import { type RefObject, useCallback, useEffect, useState } from 'react';
import {
  defaultParameters,
  type ParameterValues,
  readParameters,
} from '#app/components/parameters/parameter-values.ts';
import { utf8Bytes } from '#server/generation/price/shared.ts';
import type { ModelView } from '#server/generation/schemas.ts';

/** Reads what a price and a counter need from the form itself, so that input from before hydration counts too. */
export function useFormReading(formRef: RefObject<HTMLFormElement>, model: ModelView) {
  const [params, setParams] = useState<ParameterValues>(() => defaultParameters(model.parameters));
  const [prompt, setPrompt] = useState({ promptLength: 0, promptBytes: 0 });
  const read = useCallback(() => {
    if (!formRef.current) return;
    const data = new FormData(formRef.current);
    setParams(readParameters(data, model.parameters));
    const text = String(data.get('prompt') ?? '').trim();
    setPrompt({ promptLength: text.length, promptBytes: utf8Bytes(text) });
  }, [formRef, model]);
  useEffect(read, [read]);
  return { params, ...prompt, read };
}
