import type { Executor } from './executor.ts';
import type { RecoveryBatchInput, RecoveryBatchResult } from './recovery-batch.ts';

/**
 * The one way on for tasks: the daemon's knock, the kick after a submit and the page's own push all call this. Claims
 * due tasks into free slots, starts their next steps, refills until the budget ends or nothing is claimable, then
 * answers; started steps go on under renewed leases.
 */
export function runGenerationTaskRecoveryBatch(
  executor: Executor,
  input: RecoveryBatchInput,
): Promise<RecoveryBatchResult> {
  return executor.run(input);
}
