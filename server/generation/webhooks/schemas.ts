import { z } from 'zod';

/** Inputs and views of the webhook inbox. Isomorphic: imports zod only. */

export const DELIVERY_STATES = ['pending', 'matched', 'refused'] as const;

export const listDeliveriesInput = z.object({
  status: z.enum(DELIVERY_STATES).optional(),
  channelId: z.uuid().optional(),
  /** Id of the last delivery of the page before. */
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(50),
});
export type ListDeliveriesInput = z.infer<typeof listDeliveriesInput>;

export type DeliveryView = {
  id: string;
  channel: { id: string; name: string };
  status: (typeof DELIVERY_STATES)[number];
  /** The vendor's signature held; false: only a hint. */
  verified: boolean;
  receivedAt: Date;
  lastReceivedAt: Date;
  /** How often the same delivery came. */
  deliveries: number;
  upstreamId: string | null;
  upstreamStatus: string | null;
  reason: string | null;
  taskId: string | null;
  headers: Record<string, string>;
  body: string;
};

export type DeliveryPage = { items: DeliveryView[]; nextCursor: string | null };
