import type { CallContext } from '../provider.ts';
import { apiUrl } from './client.ts';
import { asArray, asRecord } from './json.ts';

const MAX_BYTES = 16_000_000;

/** Lists the models: free, and it proves address and key together. */
export async function checkChannel(ctx: CallContext): Promise<{ ok: boolean; message: string }> {
  const answer = await ctx.request({
    method: 'GET',
    url: apiUrl(ctx.baseUrl, '/models'),
    maxBytes: MAX_BYTES,
  });
  if (answer.type === 'failure') return { ok: false, message: sentenceOf(answer.phase, answer.message) };
  const { status } = answer;
  if (status === 401 || status === 403) {
    return { ok: false, message: `The upstream refuses this key (HTTP ${status}). Replace the key.` };
  }
  if (status === 429)
    return { ok: true, message: 'The upstream answers, and limits the rate just now (HTTP 429).' };
  if (status >= 500)
    return { ok: false, message: `The upstream has a fault of its own (HTTP ${status}). Try again later.` };
  const body = asRecord(await answer.json());
  if (status >= 200 && status < 300 && Array.isArray(body?.data)) {
    const count = asArray(body.data).length;
    return {
      ok: true,
      message: `It works: the key is accepted and ${count} ${count === 1 ? 'model is' : 'models are'} offered.`,
    };
  }
  if (status === 404 && body)
    return { ok: true, message: 'The upstream answers but lists no models; the key could not be checked.' };
  return {
    ok: false,
    message: `This is not an OpenAI-compatible address (HTTP ${status}, no model list). Check the base URL.`,
  };
}

function sentenceOf(phase: string, message: string): string {
  switch (phase) {
    case 'dns':
      return 'The host name of the base URL does not exist. Check its spelling.';
    case 'connect':
      return 'Nothing answers at the base URL. Check host and port.';
    case 'tls':
      return `The encrypted connection failed. Check the certificate, or whether the address needs http:// (${message}).`;
    case 'guard':
      return message;
    default:
      return `The upstream gave no usable answer: ${message}`;
  }
}
