import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './tone-badge.module.css';

export type Tone = 'idle' | 'busy' | 'good' | 'bad' | 'unsure';

/** Icon, word and colour for a state, so that none of the three is needed alone. */
export function ToneBadge({
  tone,
  icon: Icon,
  children,
}: {
  tone: Tone;
  icon: LucideIcon;
  children: ReactNode;
}) {
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={14} strokeWidth={2.25} aria-hidden="true" />
      {children}
    </span>
  );
}
