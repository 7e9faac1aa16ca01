import { CircleCheck, CirclePause, CircleX, Clock, type LucideIcon } from 'lucide-react';
import type { Tone } from '#app/components/ui/tone-badge.tsx';
import type { DeliveryStatus, EndpointState } from '#server/notifications/schemas.ts';

export const ENDPOINT_LOOKS: Readonly<Record<EndpointState, { tone: Tone; icon: LucideIcon }>> = {
  enabled: { tone: 'good', icon: CircleCheck },
  owner: { tone: 'idle', icon: CirclePause },
  failing: { tone: 'bad', icon: CircleX },
  gone: { tone: 'bad', icon: CircleX },
};

export const DELIVERY_LOOKS: Readonly<Record<DeliveryStatus, { tone: Tone; icon: LucideIcon }>> = {
  pending: { tone: 'busy', icon: Clock },
  delivered: { tone: 'good', icon: CircleCheck },
  failed: { tone: 'bad', icon: CircleX },
};
