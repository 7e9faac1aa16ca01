import { type RefObject, useCallback, useRef, useState } from 'react';

/**
 * Puts texts into a field that the reader writes in, without losing what was there: the text before can be put back.
 * The field's own `input` event tells the form.
 */
export function usePromptText(ref: RefObject<HTMLTextAreaElement>) {
  const [before, setBefore] = useState<string | null>(null);

  const read = useCallback(() => ref.current?.value ?? '', [ref]);

  const isPutting = useRef(false);
  const put = useCallback(
    (text: string) => {
      if (!ref.current) return;
      isPutting.current = true;
      ref.current.value = text;
      ref.current.dispatchEvent(new Event('input', { bubbles: true }));
      isPutting.current = false;
    },
    [ref],
  );

  /** In the place of all that is there. */
  const replace = useCallback(
    (text: string) => {
      const present = read();
      if (present === text) return;
      put(text);
      setBefore(present.trim() === '' ? null : present);
    },
    [put, read],
  );

  /** Where the reader was writing. */
  const insert = useCallback(
    (text: string) => {
      const field = ref.current;
      if (!field) return;
      const { value, selectionStart, selectionEnd } = field;
      const head = value.slice(0, selectionStart);
      const gap = head === '' || /\s$/.test(head) ? '' : ' ';
      put(`${head}${gap}${text}${value.slice(selectionEnd)}`);
      const end = head.length + gap.length + text.length;
      field.setSelectionRange(end, end);
      setBefore(value.trim() === '' ? null : value);
    },
    [put, ref],
  );

  const undo = useCallback(() => {
    if (before !== null) put(before);
    setBefore(null);
    ref.current?.focus();
  }, [before, put, ref]);

  /** Whether the present `input` event is one of a text that was put in. */
  const isPut = useCallback(() => isPutting.current, []);

  return {
    read,
    isPut,
    replace,
    insert,
    undo,
    canUndo: before !== null,
    forget: useCallback(() => setBefore(null), []),
  };
}
