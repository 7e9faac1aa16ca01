import { useCallback, useState } from 'react';

/**
 * A request key: 128 random bits as hexadecimal. Not `crypto.randomUUID`, which browsers offer on secure origins only
 * and a workbench in a local network may be served over plain HTTP.
 */
export function newRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The key of one form as it is on the page. It outlives re-renders and reloaded loader data, so that a submit whose
 * answer was lost is repeated under the same key; `renew` is for after a success.
 */
export function useRequestKey(fromServer: string): { key: string; renew: () => void } {
  const [key, setKey] = useState(fromServer);
  const renew = useCallback(() => setKey(newRequestKey()), []);
  return { key, renew };
}
