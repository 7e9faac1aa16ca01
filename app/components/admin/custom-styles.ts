/** For fields that hold code or paths. */
export const MONOSPACE = {
  input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' },
} as const;
