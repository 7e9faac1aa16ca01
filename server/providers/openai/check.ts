import { type CheckResult, checkBy } from '../calls.ts';
import { asArray } from '../json.ts';
import type { CallContext } from '../provider.ts';
import { apiUrl } from './client.ts';

/** Lists the models: free, and it proves address and key together. */
export function checkChannel(ctx: CallContext, title = 'an OpenAI-compatible address'): Promise<CheckResult> {
  return checkBy(
    ctx,
    { url: apiUrl(ctx.baseUrl, '/models') },
    {
      title,
      proves(body) {
        if (!Array.isArray(body.data)) return undefined;
        const count = asArray(body.data).length;
        return `It works: the key is accepted and ${count} ${count === 1 ? 'model is' : 'models are'} offered.`;
      },
      alsoProves: (response, body) =>
        response.status === 404 && body
          ? 'The upstream answers but lists no models, so the key could not be checked. Make sure of the base URL, then try one task.'
          : undefined,
    },
  );
}
