import { asText } from './json.ts';

/**
 * Our reference in a webhook address that upstream gives back, as a list of jobs does; undefined for an address that
 * carries none.
 */
export function webhookRefOf(address: unknown): string | undefined {
  const url = asText(address);
  return url && URL.canParse(url) ? (new URL(url).searchParams.get('ref') ?? undefined) : undefined;
}
