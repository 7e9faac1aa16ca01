import { AppError } from './app-error.ts';
import { databaseFault } from './database-fault.ts';
import { describeError } from './describe-error.ts';
import type { Logger } from './logger.ts';
import type { BulkReport } from './schemas.ts';

const OUR_FAULT = 'Something went wrong on our side. Nothing was done to this row; try it again.';

/**
 * Does one thing to each row in turn, each in its own transaction: what one of them is refused, or fails at, stops no
 * other. A text that `act` answers says what it came to.
 */
export async function runBulk(
  deps: { logger: Logger },
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<BulkReport> {
  const results: BulkReport['results'] = [];
  for (const id of ids) {
    try {
      const said = await act(id);
      results.push({ id, ok: true, message: typeof said === 'string' ? said : null });
    } catch (error) {
      results.push({ id, ok: false, message: refusalOf(deps, id, error) });
    }
  }
  return { results };
}

function refusalOf(deps: { logger: Logger }, id: string, error: unknown): string {
  const refusal = error instanceof AppError ? error : databaseFault(error);
  if (refusal) return refusal.message;
  deps.logger.error({ id, error: describeError(error) }, 'A row of a bulk action failed');
  return OUR_FAULT;
}
