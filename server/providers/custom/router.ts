import { adminProcedure, router } from '#server/trpc/init.ts';
import { dryRun } from './dry-run/dry-run.ts';
import { dryRunInput } from './dry-run/schemas.ts';

/** Help for administrators who describe a protocol. Nothing here calls out or stores anything. */
export const customRouter = router({
  dryRun: adminProcedure.input(dryRunInput).mutation(({ input }) => dryRun(input)),
});
