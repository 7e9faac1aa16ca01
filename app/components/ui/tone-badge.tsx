import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './tone-badge.module.css';

export type Tone = 'idle' | 'busy' | 'good' | 'bad' | 'unsure';

/** How a state is shown. */
export type Look = { label: string; tone: Tone; Icon: LucideIcon };

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

export function LookBadge({ look: { label, tone, Icon } }: { look: Look }) {
  return (
    <ToneBadge tone={tone} icon={Icon}>
      {label}
    </ToneBadge>
  );
}
