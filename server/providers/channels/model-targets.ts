import type { DbOrTx } from '#server/db/client.ts';
import type { Kind } from '#server/generation/status.ts';
import { AppError } from '#server/lib/app-error.ts';
import type { ProviderRuntime } from '../provider.ts';
import { findChannel } from './queries.ts';
import { catalogueEntry } from './schemas.ts';

type Target = { channelId: string; endpoint: string; kind: Kind };

/**
 * Proves that a channel can take a model's tasks: it is there, its protocol speaks the endpoint, and that makes the
 * model's kind.
 *
 * @throws AppError naming the field that does not fit
 */
export async function requireTarget(
  db: DbOrTx,
  providers: Pick<ProviderRuntime, 'has'>,
  { channelId, endpoint, kind }: Target,
): Promise<void> {
  const channel = await findChannel(db, channelId);
  if (!channel) throw new AppError('not_found', 'There is no such channel.', { field: 'channelId' });
  const { protocol } = channel;
  const endpoints = catalogueEntry(protocol)?.endpoints ?? {};
  const makes = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
  if (makes === undefined || !providers.has(protocol, endpoint)) {
    const known = Object.keys(endpoints).join(', ') || 'none';
    throw new AppError(
      'unprocessable',
      `The protocol "${protocol}" has no endpoint "${endpoint}". It has: ${known}.`,
      { field: 'endpoint' },
    );
  }
  if (makes !== kind) {
    throw new AppError('unprocessable', `The endpoint "${endpoint}" makes ${makes}, not ${kind}.`, {
      field: 'endpoint',
    });
  }
}
