import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';

/**
 * What opens below a button and goes by itself: on Escape, on a press elsewhere and when the focus leaves it. The parts
 * of the frame are on every page, so this is by hand: a library for floating things weighs 25 kB.
 *
 * @returns `around` for the element that holds both button and panel; `close` gives the focus back to `trigger`
 */
export function useDropdown<Trigger extends HTMLElement>() {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const trigger = useRef<Trigger>(null);
  const panel = useRef<HTMLDivElement>(null);

  const close = useCallback(() => {
    setOpen(false);
    trigger.current?.focus();
  }, []);

  useEffect(() => {
    if (!isOpen) return;
    panel.current?.focus();
    const onPointerDown = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.stopPropagation();
    close();
  };
  const onBlur = (event: FocusEvent) => {
    // Nothing has the focus while the browser's window is in the background; that is no reason to close.
    if (event.relatedTarget && !root.current?.contains(event.relatedTarget)) setOpen(false);
  };
  return { isOpen, setOpen, close, trigger, panel, around: { ref: root, onKeyDown, onBlur } };
}
