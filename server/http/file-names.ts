import type { Request } from 'express';
import type { Kind } from '#server/generation/status.ts';
import { AppError } from '#server/lib/app-error.ts';
import { isUuid } from '#server/lib/ids.ts';
import { extensionOf } from '#server/storage/sniff.ts';

/** The id in the address. @throws AppError `not_found` for what is no id */
export function idOf(req: Request): string {
  const id = req.params.id ?? '';
  if (!isUuid(id)) throw notFound();
  return id;
}

export function notFound(): AppError {
  return new AppError('not_found', 'There is no such file.');
}

/** The end of a task id is its random part; the start is the time and nearly the same for neighbours. */
export function outputFileName(output: {
  kind: Kind;
  taskId: string;
  ordinal: number;
  mime: string;
}): string {
  return `sidelane-${output.kind}-${output.taskId.slice(-8)}-${output.ordinal + 1}.${extensionOf(output.mime)}`;
}
