import type { Deps } from '#server/deps.ts';
import { listChannels } from './queries.ts';
import { type ChannelView, catalogueEntry } from './schemas.ts';

/** All channels with the address at which each one's vendor may report. */
export async function readChannels(deps: Pick<Deps, 'db' | 'config'>): Promise<ChannelView[]> {
  const { publicOrigin } = deps.config;
  return (await listChannels(deps.db)).map((channel) => {
    const webhooks = catalogueEntry(channel.protocol)?.webhooks ?? 'none';
    const hasAddress = publicOrigin !== undefined && webhooks !== 'none';
    return {
      ...channel,
      webhookAddress: hasAddress ? new URL(`/webhooks/${channel.id}`, publicOrigin).href : null,
    };
  });
}
