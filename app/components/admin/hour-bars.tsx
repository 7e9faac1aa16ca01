import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ChannelHour } from '#server/overview/schemas.ts';
import classes from './hour-bars.module.css';

const HEIGHT = 24;

/** A channel's last 24 hours in a table's cell; the channel's own page has the numbers. */
export function HourBars({ hours }: { hours: readonly ChannelHour[] }) {
  const t = useT(adminTexts);
  const format = useFormat();
  const sums = hours.map(({ succeeded, failed, putOff, other }) => succeeded + failed + putOff + other);
  const all = sums.reduce((sum, one) => sum + one, 0);
  if (all === 0) return <span className={classes.none}>{t('channel.numbers.none')}</span>;
  const most = Math.max(...sums);
  const succeeded = hours.reduce((sum, hour) => sum + hour.succeeded, 0);
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(1, (count / most) * HEIGHT));
  return (
    <svg
      className={classes.bars}
      viewBox={`0 0 ${hours.length * 4} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('channel.numbers.hours', {
        succeeded: format.integer(succeeded),
        all: format.integer(all),
      })}
    >
      {hours.map((hour, index) => {
        const good = heightOf(hour.succeeded);
        const bad = heightOf(hour.failed);
        const rest = heightOf(hour.putOff + hour.other);
        const x = index * 4;
        return (
          <g key={hour.from.getTime()}>
            <rect className={classes.good} x={x} y={HEIGHT - good} width={3} height={good} />
            <rect className={classes.bad} x={x} y={HEIGHT - good - bad} width={3} height={bad} />
            <rect className={classes.rest} x={x} y={HEIGHT - good - bad - rest} width={3} height={rest} />
          </g>
        );
      })}
    </svg>
  );
}
