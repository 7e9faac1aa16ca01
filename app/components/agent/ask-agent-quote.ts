import { trpcClient } from '#app/lib/trpc-client.ts';
import type { AskAgentQuote } from './use-agent-cost.ts';

/** The server's estimate and cap for an agent, in the browser; of an order that it would refuse, why. */
export const askAgentQuote: AskAgentQuote = async (input, signal) => {
  try {
    return await trpcClient().agents.quote.query(input, { signal });
  } catch (error) {
    if (isRefusal(error)) return { refusal: error.message };
    throw error;
  }
};

/** The order itself was at fault, and the message says how. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error) || !('data' in error)) return false;
  const { data } = error;
  if (typeof data !== 'object' || data === null || !('httpStatus' in data)) return false;
  return data.httpStatus === 400 || data.httpStatus === 404 || data.httpStatus === 422;
}
