import { Button, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#app/lib/language.tsx';
import { commonTexts } from '#app/locales/common.ts';
import classes from './copy-field.module.css';

/** A value to take away: read-only, selectable without a script, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div className={classes.root}>
      <TextInput
        aria-label={label}
        value={value}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
        classNames={{ input: classes.input }}
        className={classes.field}
      />
      <CopyButton value={value} />
    </div>
  );
}

/** Copies a value, and says so. */
export function CopyButton({ value, children }: { value: string; children?: ReactNode }) {
  const { copied, copy, error } = useClipboard({ timeout: 2_500 });
  const t = useT(commonTexts);
  return (
    <>
      <Button
        variant="default"
        leftSection={copied ? <Check size={16} aria-hidden="true" /> : <Copy size={16} aria-hidden="true" />}
        onClick={() => copy(value)}
      >
        {copied ? t('copy.done') : (children ?? t('copy.do'))}
      </Button>
      <span role="status" className={classes.status}>
        {copied ? t('copy.saidDone') : error ? t('copy.refused') : ''}
      </span>
    </>
  );
}
