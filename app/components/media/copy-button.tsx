import { useClipboard } from '@mantine/hooks';
import { Check, type LucideIcon } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { tasksTexts } from '#app/locales/tasks.ts';
import classes from './media.module.css';

type CopyButtonProps = {
  value: string;
  Icon: LucideIcon;
  /** In the tooltip; `name` is what screen readers hear, where the word alone would not tell one from another. */
  label: string;
  name: string;
};

/** A square button that copies a value, and says whether the browser let it. */
export function CopyButton({ value, Icon, label, name }: CopyButtonProps) {
  const { copied, copy, error } = useClipboard({ timeout: 2_500 });
  const t = useT(tasksTexts);
  return (
    <span className={classes.toolPlace}>
      <button
        type="button"
        className={classes.tool}
        aria-label={name}
        title={label}
        onClick={() => copy(value)}
      >
        {copied ? <Check size={15} aria-hidden /> : <Icon size={15} aria-hidden />}
      </button>
      <span role="status" className={classes.hidden}>
        {copied ? t('card.copied') : error ? t('card.refused') : ''}
      </span>
    </span>
  );
}
