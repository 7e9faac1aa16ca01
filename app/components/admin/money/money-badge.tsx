import { type Look, LookBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { MONEY_FACES, type MoneyStates } from './money-looks.ts';

type MoneyBadgeProps = {
  [Of in keyof MoneyStates]: { of: Of; state: keyof MoneyStates[Of] };
}[keyof MoneyStates];

/** A state of something with money as icon, word and colour. */
export function MoneyBadge({ of, state }: MoneyBadgeProps) {
  const word = useStateWord(of);
  const face = (MONEY_FACES[of] as Record<string, Omit<Look, 'label'>>)[state];
  return face ? <LookBadge look={{ ...face, label: word(state) }} /> : null;
}

/** The word for each state of a kind of thing. */
export function useStateWord(of: keyof MoneyStates | 'order'): (state: string) => string {
  const t = useT(adminMoneyTexts);
  return (state) => t(`states.${of}.${state}` as 'states.order.paid');
}

/** Every state, for a filter. */
export function useStateOptions(of: keyof MoneyStates): { value: string; label: string }[] {
  const word = useStateWord(of);
  return Object.keys(MONEY_FACES[of]).map((state) => ({ value: state, label: word(state) }));
}
