import { CircleAlert, CircleCheck, type LucideIcon, OctagonAlert, Sparkle } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './error-message.module.css';
import { Refusal } from './refusal.tsx';

type NoticeProps = {
  title?: string;
  children: ReactNode;
  /** `error`: read out at once; the others in place. `good`: what was asked for is done, or all is well. */
  tone?: 'error' | 'warning' | 'note' | 'good';
  id?: string;
};

const ICONS: Record<NonNullable<NoticeProps['tone']>, LucideIcon> = {
  error: OctagonAlert,
  warning: CircleAlert,
  note: Sparkle,
  good: CircleCheck,
};

/** A sentence that needs attention, with an optional title and anything that helps below. */
export function Notice({ title, children, tone = 'note', id }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div className={classes.root} data-tone={tone} role={tone === 'error' ? 'alert' : undefined} id={id}>
      <Icon size={18} aria-hidden="true" className={classes.icon} />
      <div className={classes.body}>
        {title ? <p className={classes.title}>{title}</p> : null}
        {typeof children === 'string' ? <p className={classes.text}>{children}</p> : children}
      </div>
    </div>
  );
}

/** What went wrong and what to do, in one sentence. */
export function ErrorMessage({ title, message, id }: { title?: string; message: string; id?: string }) {
  return (
    <Notice tone="error" title={title} id={id}>
      <p className={classes.text}>
        <Refusal of={[message]} />
      </p>
    </Notice>
  );
}
