import { redactText } from './redact.ts';

type DescribedError = { name: string; message: string; code?: string; at?: string };

/**
 * What a log line may say about an error: name, code and text of its root cause, and the first frame of our own code.
 * The outer message is left out on purpose: Drizzle puts the statement's parameters (password hashes, prompts) there.
 */
export function describeError(error: unknown): DescribedError {
  let root: unknown = error;
  for (let depth = 0; depth < 5 && root instanceof Error && root.cause instanceof Error; depth += 1) {
    root = root.cause;
  }
  if (!(root instanceof Error)) return { name: typeof root, message: 'A value that is no error was thrown.' };
  const code = (root as Error & { code?: unknown }).code;
  const isQuery = root.message.startsWith('Failed query:');
  return {
    name: root.name,
    message: isQuery ? 'A query failed.' : redactText(root.message).slice(0, 1_000),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(root.stack ? { at: ownFrame(root.stack) } : {}),
  };
}

function ownFrame(stack: string): string | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.find((line) => !line.includes('node_modules') && !line.includes('node:')) ?? frames[0];
  return own
    ?.trim()
    .replace(/\(?file:\/\//, '(')
    .slice(0, 300);
}
