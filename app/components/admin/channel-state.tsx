import { CircleCheck, CirclePause, CirclePower, TriangleAlert } from 'lucide-react';
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
        Paused by the upstream
      </ToneBadge>
    );
  }
  if (channel.consecutiveFailures > 0) {
    return (
      <ToneBadge tone="bad" icon={TriangleAlert}>
        {`${channel.consecutiveFailures} failures in a row`}
      </ToneBadge>
    );
  }
  return (
    <ToneBadge tone="good" icon={CircleCheck}>
      On
    </ToneBadge>
  );
}
