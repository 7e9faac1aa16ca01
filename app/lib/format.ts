/** Text for people. Everything here gives the same answer on server and browser unless it says otherwise. */

// A fixed locale: the server's and the browser's own would differ and break hydration.
const integers = new Intl.NumberFormat('en-GB');

/** `12345` → `12,345`; the sign is a real minus. */
export function formatInteger(value: number): string {
  return integers.format(value).replace('-', '−');
}

/** `1 credit`, `12 credits`. */
export function formatCredits(credits: number): string {
  return `${formatInteger(credits)} ${Math.abs(credits) === 1 ? 'credit' : 'credits'}`;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units with at most one decimal: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const rounded = unit === 0 || value >= 99.5 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${rounded} ${BYTE_UNITS[unit]}`;
}

/** Milliseconds as `0:07`, `12:30` or `1:02:03`. */
export function formatDuration(milliseconds: number): string {
  const total = Math.max(0, Math.round(milliseconds / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = String(total % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`;
}

const STEPS = [
  { unit: 'year', seconds: 31_557_600 },
  { unit: 'month', seconds: 2_629_800 },
  { unit: 'week', seconds: 604_800 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto', style: 'long' });

/** Distance from `now`: `just now`, `3 minutes ago`, `in 2 hours`. */
export function formatRelative(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const step = STEPS.find((candidate) => Math.abs(seconds) >= candidate.seconds);
  if (!step || Math.abs(seconds) < 5) return 'just now';
  return relative.format(Math.trunc(seconds / step.seconds), step.unit);
}

/** `2026-11-29 14:05 UTC`: what the server renders, whatever its time zone. */
export function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const MONEY_UNITS = { call: 'per call', output: 'per output', second: 'per second' } as const;

/** `12 credits per output`. */
export function formatPrice(price: { unit: keyof typeof MONEY_UNITS; credits: number }): string {
  return `${formatCredits(price.credits)} ${MONEY_UNITS[price.unit]}`;
}
