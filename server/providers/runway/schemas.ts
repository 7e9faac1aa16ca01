import { z } from 'zod';

/** `GET /tasks/{id}`, the fields that we read; a field of a wrong type counts as absent. */
export const task = z.looseObject({
  status: z.union([z.string(), z.number()]).optional().catch(undefined),
  progress: z.union([z.string(), z.number()]).optional().catch(undefined),
  /** On tasks that have ended; 0 when they were given back. */
  cost: z
    .looseObject({ credits: z.number().nonnegative().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  output: z.array(z.unknown()).optional().catch(undefined),
});
