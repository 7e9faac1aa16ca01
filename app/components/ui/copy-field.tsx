import { Button, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import classes from './copy-field.module.css';

/** A value to take away: read-only, selectable without a script, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { copied, copy, error } = useClipboard({ timeout: 2_500 });
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
      <Button
        variant="default"
        leftSection={copied ? <Check size={16} aria-hidden="true" /> : <Copy size={16} aria-hidden="true" />}
        onClick={() => copy(value)}
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className={classes.status}>
        {copied
          ? 'Copied to the clipboard.'
          : error
            ? 'The browser refused. Select the text and copy it.'
            : ''}
      </span>
    </div>
  );
}
