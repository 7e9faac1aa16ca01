import { createContext, useContext } from 'react';

/**
 * The nonce that the page's Content-Security-Policy asks of scripts. Only the server provides it: browsers hide the
 * attribute of a served element, so the browser's first render has none to repeat.
 */
const CspNonceContext = createContext<string | undefined>(undefined);

export const CspNonceProvider = CspNonceContext.Provider;

/** The request's nonce on the server; undefined in the browser. */
export function useCspNonce(): string | undefined {
  return useContext(CspNonceContext);
}
