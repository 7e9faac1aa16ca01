import type { TFunction } from 'i18next';
import { catalogueEntry } from '#server/providers/channels/schemas.ts';

/** What a protocol is called: most have the name of their vendor, in every language. */
export function protocolTitle(t: TFunction<'admin'>, protocol: string): string {
  const title = catalogueEntry(protocol)?.title ?? protocol;
  return t(`protocols.titles.${protocol}` as 'protocols.titles.custom', { defaultValue: title });
}

/** What a vendor's key or signing secret is called, by its English name in the catalogue. */
export const keyLabel = (t: TFunction<'admin'>, label: string): string =>
  t(`protocols.keys.${label}` as 'protocols.keys.API key', { defaultValue: label });
