import { type RefObject, useCallback, useEffect } from 'react';

/**
 * What is typed into a form, kept in the tab until it is submitted: a reload, a wrong link or an expired session loses
 * nothing. Hidden fields and files are not kept.
 *
 * @param isFresh false: the form came back from the server with its own values, which stay
 * @param onRestore runs after a draft was put into the form
 * @returns what keeps the form as it is now
 */
export function useFormDraft(
  formRef: RefObject<HTMLFormElement>,
  { key, isFresh, onRestore }: { key: string; isFresh: boolean; onRestore: () => void },
): () => void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft is put back once, when the form appears
  useEffect(() => {
    const draft = isFresh ? readDraft(key) : null;
    if (draft === null || formRef.current === null) return;
    for (const field of fieldsOf(formRef.current)) putBack(field, draft);
    onRestore();
  }, []);

  return useCallback(() => {
    if (formRef.current) writeDraft(key, valuesOf(formRef.current));
  }, [formRef, key]);
}

export function clearDraft(key: string): void {
  attempt(() => sessionStorage.removeItem(key));
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Draft = Record<string, string>;

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.elements].filter(
    (element): element is Field =>
      (element instanceof HTMLInputElement && element.type !== 'hidden' && element.type !== 'file') ||
      element instanceof HTMLTextAreaElement ||
      element instanceof HTMLSelectElement,
  );
}

const isTick = (field: Field): field is HTMLInputElement =>
  field.type === 'checkbox' || field.type === 'radio';

function valuesOf(form: HTMLFormElement): Draft {
  const named = fieldsOf(form).filter(({ name }) => name !== '');
  return Object.fromEntries(
    named
      .filter((field) => !isTick(field) || field.checked || field.type === 'checkbox')
      .map((field) => [
        field.name,
        field.type === 'checkbox' && isTick(field) && !field.checked ? '' : field.value,
      ]),
  );
}

function putBack(field: Field, draft: Draft): void {
  const value = draft[field.name];
  if (value === undefined) return;
  if (isTick(field)) field.checked = value === field.value;
  else if (
    !(field instanceof HTMLSelectElement) ||
    [...field.options].some((option) => option.value === value)
  )
    field.value = value;
}

function readDraft(key: string): Draft | null {
  return attempt(() => {
    const text = sessionStorage.getItem(key);
    const value: unknown = text === null ? null : JSON.parse(text);
    return typeof value === 'object' ? (value as Draft | null) : null;
  });
}

function writeDraft(key: string, draft: Draft): void {
  attempt(() => sessionStorage.setItem(key, JSON.stringify(draft)));
}

/** A browser may refuse its storage; the form works without. */
function attempt<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch {
    return null;
  }
}
