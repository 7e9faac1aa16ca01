import { z } from 'zod';
import { resolveInput } from '#server/generation/schemas.ts';

/** The procedure's own schemas, but for the result: a form has one box for it, a line per address. */

const [upstreamId, result, failed] = resolveInput.options;
export const upstreamIdForm = upstreamId;
export const failureForm = failed;

const address = result.shape.urls.unwrap().element;

export const resultUrlsForm = z.object({
  taskId: result.shape.taskId,
  verdict: result.shape.verdict,
  urls: z
    .string('Enter the address of at least one file.')
    .transform((text, ctx) => {
      const lines = text.split(/\r?\n/).map((line) => line.trim());
      for (const [index, line] of lines.entries()) {
        if (line === '' || address.safeParse(line).success) continue;
        const which = lines.length > 1 ? `Line ${index + 1}` : 'This';
        ctx.addIssue({
          code: 'custom',
          message: `${which} is no complete address: it has to start with https:// or http://.`,
        });
      }
      return lines.filter(Boolean);
    })
    .pipe(result.shape.urls.unwrap().min(1, 'Enter the address of at least one file.')),
  reason: result.shape.reason,
});

export const resultTextForm = z.object({
  taskId: result.shape.taskId,
  verdict: result.shape.verdict,
  text: z.string('Paste the text.').pipe(result.shape.text.unwrap().min(1, 'Paste the text.')),
  reason: result.shape.reason,
});
