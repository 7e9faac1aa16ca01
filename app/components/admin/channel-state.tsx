import { CircleCheck, CirclePause, CirclePower, Snowflake, TriangleAlert } from 'lucide-react';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import type { ChannelView } from '#server/providers/channels/schemas.ts';

/** Whether a channel takes work, in one word. `now` decides pauses: pass the time the data was read. */
export function ChannelState({ channel, now }: { channel: ChannelView; now: Date }) {
  const t = useT(adminTexts);
  if (!channel.enabled) {
    return (
      <ToneBadge tone="idle" icon={CirclePower}>
        {t('channels.state.off')}
      </ToneBadge>
    );
  }
  if (channel.pausedUntil && channel.pausedUntil > now) {
    return (
      <ToneBadge tone="unsure" icon={CirclePause}>
        {t('channels.state.paused')}
      </ToneBadge>
    );
  }
  if (channel.coolDownUntil && channel.coolDownUntil > now) {
    return (
      <ToneBadge tone="bad" icon={Snowflake}>
        {t('channels.state.cooling')}
      </ToneBadge>
    );
  }
  if (channel.consecutiveFailures > 0) {
    return (
      <ToneBadge tone="bad" icon={TriangleAlert}>
        {t('channels.state.failures', { count: channel.consecutiveFailures })}
      </ToneBadge>
    );
  }
  return (
    <ToneBadge tone="good" icon={CircleCheck}>
      {t('channels.state.on')}
    </ToneBadge>
  );
}
