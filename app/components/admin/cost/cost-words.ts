import type { TFunction } from 'i18next';
import type { CostRule, DispatchCost } from '#server/generation/cost/schemas.ts';
import type { DispatchView } from '#server/generation/schemas.ts';

type Micros = (micros: number, currency: string, options?: { exact?: boolean }) => string;

/** A rule in a few words; its tiers are left out. */
export function ruleWords(cost: CostRule | null, t: TFunction<'costs'>, micros: Micros): string {
  if (!cost) return t('rule.unknown');
  const write = (amount: number) => micros(amount, cost.currency, { exact: true });
  const { unit, outputMicros, blockTokens } = cost;
  const amount = write(cost.micros);
  if (unit === 'tokens' && outputMicros !== undefined) {
    return t('rule.tokensInOut', { amount, output: write(outputMicros), block: blockTokens });
  }
  return t(`rule.${unit}`, { amount, block: blockTokens });
}

const UNTAKEN = ['rejected', 'rate_limited', 'not_sent', 'failed'];

/** What a dispatch has cost, as far as anybody knows; null: it was never sent. */
export function dispatchCostWords(
  { cost, phase, outcome }: Pick<DispatchView, 'cost' | 'phase' | 'outcome'>,
  hasEnded: boolean,
  t: TFunction<'costs'>,
  micros: Micros,
): string | null {
  if (phase !== 'sent') return null;
  if (outcome !== null && UNTAKEN.includes(outcome)) return t('dispatch.nothing');
  if (!cost) return t('dispatch.unpriced');
  const write = (amount: number) => micros(amount, cost.currency, { exact: true });
  if (cost.micros !== null) {
    return t(`dispatch.${cost.from === 'vendor' ? 'vendor' : 'known'}`, { amount: write(cost.micros) });
  }
  const key = hasEnded || outcome === null ? 'possible' : 'expected';
  return orderedWords(cost, key, t, write);
}

function orderedWords(
  { orderedMicros }: DispatchCost,
  key: 'possible' | 'expected',
  t: TFunction<'costs'>,
  write: (amount: number) => string,
): string {
  return orderedMicros === null
    ? t(`dispatch.${key}Unknown`)
    : t(`dispatch.${key}`, { amount: write(orderedMicros) });
}
