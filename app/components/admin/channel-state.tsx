import { CircleCheck, CirclePause, CirclePower, Snowflake, TriangleAlert } from 'lucide-react';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import type { ChannelView } from '#server/providers/channels/schemas.ts';

/** Whether a channel takes work, in one word. `now` decides pauses: pass the time the data was read. */
export function ChannelState({ channel, now }: { channel: ChannelView; now: Date }) {
  if (!channel.enabled) {
    return (
      <ToneBadge tone="idle" icon={CirclePower}>
        Off
      </ToneBadge>
    );
  }
  if (channel.pausedUntil && channel.pausedUntil > now) {
    return (
      <ToneBadge tone="unsure" icon={CirclePause}>
        Paused
      </ToneBadge>
    );
  }
  if (channel.coolDownUntil && channel.coolDownUntil > now) {
    return (
      <ToneBadge tone="bad" icon={Snowflake}>
        Cooling down
      </ToneBadge>
    );
  }
  if (channel.consecutiveFailures > 0) {
    const count = channel.consecutiveFailures;
    return (
      <ToneBadge tone="bad" icon={TriangleAlert}>
        {count === 1 ? '1 failure' : `${count} failures in a row`}
      </ToneBadge>
    );
  }
  return (
    <ToneBadge tone="good" icon={CircleCheck}>
      On
    </ToneBadge>
  );
}
