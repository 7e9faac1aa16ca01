import { useFormat } from '#app/lib/use-format.ts';
import classes from './credit-amount.module.css';

type CreditAmountProps = {
  credits: number;
  /** Shows `+` before gains and colours the movement, for ledger rows. */
  signed?: boolean;
  /** Only the number; the word "credits" stays for screen readers. */
  compact?: boolean;
};

/** An integer amount of credits, in figures of equal width. */
export function CreditAmount({ credits, signed = false, compact = false }: CreditAmountProps) {
  const format = useFormat();
  const sign = signed && credits > 0 ? '+' : '';
  const direction = signed ? (credits > 0 ? 'in' : credits < 0 ? 'out' : undefined) : undefined;
  const word = format.credits(credits).replace(/^\S+ /, '');
  return (
    <span className={classes.amount} data-direction={direction}>
      {sign}
      {format.integer(credits)}
      <span className={compact ? classes.hidden : classes.unit}> {word}</span>
    </span>
  );
}
