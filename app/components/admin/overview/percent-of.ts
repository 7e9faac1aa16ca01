/** `97`, or `99.6` where rounding would hide a failure; null of nothing. */
export function percentOf(part: number, whole: number): string | null {
  if (whole === 0) return null;
  const percent = (part / whole) * 100;
  const rounded = Math.round(percent);
  const hides = (rounded === 100 && part < whole) || (rounded === 0 && part > 0);
  return `${hides ? (Math.floor(percent * 10) / 10).toFixed(1) : rounded}`;
}
