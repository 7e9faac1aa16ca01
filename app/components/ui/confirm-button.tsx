import { Button, type ButtonProps, Group } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';

type ConfirmButtonProps = Omit<ButtonProps, 'type'> & {
  children: ReactNode;
  /** The second button's words, e.g. "Revoke it". */
  confirmLabel: string;
  name?: string;
  value?: string;
  /** Tells repeated buttons apart for screen readers, e.g. "Revoke token ci". */
  'aria-label'?: string;
};

/**
 * A submit button that asks once more. Before hydration it submits at once: the form must stay usable without a
 * script, and everything behind it can be done again.
 */
export function ConfirmButton({ children, confirmLabel, name, value, ...rest }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  const confirmRef = useRef<HTMLButtonElement>(null);
  const askRef = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);
  const t = useT(commonTexts);

  useEffect(() => {
    if (asking) confirmRef.current?.focus();
    else if (wasAsking.current) askRef.current?.focus();
    wasAsking.current = asking;
  }, [asking]);

  if (!asking) {
    return (
      <Button
        {...rest}
        ref={askRef}
        type="submit"
        name={name}
        value={value}
        onClick={(event) => {
          event.preventDefault();
          setAsking(true);
        }}
      >
        {children}
      </Button>
    );
  }
  return (
    <Group gap="xs" wrap="nowrap" onKeyDown={(event) => event.key === 'Escape' && setAsking(false)}>
      <Button size={rest.size} type="button" variant="default" onClick={() => setAsking(false)}>
        {t('confirm.keep')}
      </Button>
      <Button
        size={rest.size}
        ref={confirmRef}
        type="submit"
        name={name}
        value={value}
        color="red.9"
        // Closes after the submit event, which needs this button to be in the form.
        onClick={() => setTimeout(() => setAsking(false), 0)}
      >
        {confirmLabel}
      </Button>
    </Group>
  );
}
