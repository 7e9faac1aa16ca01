import { parseWithZod } from '@conform-to/zod/v4';
import type { z } from 'zod';

type IssueInput = {
  code?: string;
  input?: unknown;
  expected?: unknown;
  origin?: unknown;
  minimum?: unknown;
  maximum?: unknown;
};

/**
 * A sentence for a field whose schema has none of its own. Forms send an empty field as nothing, which schemas would
 * call "expected string, received undefined".
 */
function describeFieldIssue(issue: IssueInput): string | undefined {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'Fill this in.';
    if (issue.expected === 'number') return 'Enter a number.';
    if (issue.expected === 'int') return 'Enter a whole number.';
  }
  if (issue.code === 'too_small' && issue.origin === 'number') return `Enter at least ${issue.minimum}.`;
  if (issue.code === 'too_small' && issue.origin === 'string') return 'Fill this in.';
  if (issue.code === 'too_big' && issue.origin === 'number') return `Enter at most ${issue.maximum}.`;
  if (issue.code === 'too_big' && issue.origin === 'string')
    return `Enter at most ${issue.maximum} characters.`;
  return undefined;
}

/** Parses a form by its schema, the same in the browser and in the action. */
export function parseForm<Schema extends z.ZodType>(form: FormData, schema: Schema) {
  return parseWithZod(form, { schema, error: (issue) => describeFieldIssue(issue as IssueInput) });
}
