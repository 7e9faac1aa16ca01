import type { Deps } from '#server/deps.ts';

type Target = { channelId: string; dispatchId: string };

/**
 * The address at which upstream may report the end of a dispatch. The signature proves that a caller was given this
 * address by us, so that the dispatch it names may be believed; undefined when this server has no public address.
 */
export function webhookUrl(deps: Pick<Deps, 'config' | 'keyRing'>, target: Target): string | undefined {
  const { publicOrigin } = deps.config;
  if (!publicOrigin) return undefined;
  const url = new URL(`/webhooks/${target.channelId}`, publicOrigin);
  url.searchParams.set('ref', target.dispatchId);
  url.searchParams.set('sig', deps.keyRing.sign(subject(target)));
  return url.href;
}

/** Whether `sig` was made for this dispatch on this channel. */
export function isOurWebhook(deps: Pick<Deps, 'keyRing'>, target: Target & { sig: string }): boolean {
  return deps.keyRing.verify(subject(target), target.sig);
}

const subject = ({ channelId, dispatchId }: Target): string => `webhook:${channelId}:${dispatchId}`;
