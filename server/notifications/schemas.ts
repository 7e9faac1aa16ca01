import { z } from 'zod';

/** What people are told, in pages and by webhook. Isomorphic: imports zod only. */

/** `task.needs_you`: a composite waits for its owner's decision. */
export const NOTIFICATION_TYPES = [
  'task.succeeded',
  'task.failed',
  'task.cancelled',
  'task.uncertain',
  'task.needs_you',
  'task.late_success',
  'order.paid',
  'order.refunded',
  'invite.rewarded',
  'webhook.disabled',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** Types that webhook endpoints may ask for. */
export const WEBHOOK_EVENTS = [
  'task.succeeded',
  'task.failed',
  'task.cancelled',
  'task.uncertain',
  'task.needs_you',
  'task.late_success',
] as const satisfies readonly NotificationType[];
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

const webhookEvent = z.enum(WEBHOOK_EVENTS);

/** Facts of a notification or of a delivery: never a secret, never a prompt. */
export type NotificationData = Record<string, string | number | boolean | null>;

/** The body of a delivery, as the Standard Webhooks specification lays it out; times in ISO 8601. */
export type WebhookBody = {
  type: WebhookEvent | 'test';
  timestamp: string;
  data: NotificationData;
};

export const listNotificationsInput = z.object({
  unreadOnly: z.boolean().default(false),
  /** Id of the last one of the page before. */
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(30),
});
export type ListNotificationsInput = z.infer<typeof listNotificationsInput>;

export const notificationIdsInput = z.object({ ids: z.array(z.uuid()).min(1).max(100) });

export const notificationIdInput = z.object({ notificationId: z.uuid() });

/** Everything up to this id, so that what comes in while the page is read stays unread. */
export const markAllReadInput = z.object({ upTo: z.uuid().optional() });

export type NotificationView = {
  id: string;
  type: NotificationType;
  taskId: string | null;
  data: NotificationData;
  /** The first words of the task's prompt, for the owner's own page. */
  prompt: string | null;
  createdAt: Date;
  readAt: Date | null;
};
export type NotificationPage = { items: NotificationView[]; nextCursor: string | null };

// ── Webhook endpoints ──────────────────────────────────────────────────────────────────────────────────────────────

/** Endpoints of one user. */
export const MOST_ENDPOINTS = 10;
/** Hours that the secret before signs too after a rotation. */
export const ROTATION_HOURS = 24;
/** Tries of one delivery, over about three days. */
export const MOST_ATTEMPTS = 12;

const endpointFields = {
  url: z
    .string('Enter the address.')
    .trim()
    .min(1, 'Enter the address.')
    .max(2_000, 'The address is too long: 2,000 characters at most.'),
  description: z.string().trim().max(200, 'At most 200 characters.').default(''),
  events: z.array(webhookEvent).min(1, 'Choose at least one event.').max(WEBHOOK_EVENTS.length),
};

export const createEndpointInput = z.object(endpointFields);
export type CreateEndpointInput = z.infer<typeof createEndpointInput>;

export const endpointIdInput = z.object({ endpointId: z.uuid() });

export const updateEndpointInput = endpointIdInput.extend({
  ...endpointFields,
  enabled: z.boolean(),
});
/** The same from a form, where a box that is not ticked sends nothing. */
export const updateEndpointForm = updateEndpointInput.extend({ enabled: z.boolean().default(false) });
export type UpdateEndpointInput = z.infer<typeof updateEndpointInput>;

export type EndpointState = 'enabled' | 'owner' | 'failing' | 'gone';

export type EndpointView = {
  id: string;
  url: string;
  description: string;
  events: WebhookEvent[];
  enabled: boolean;
  /** `enabled`, or why it is switched off. */
  state: EndpointState;
  /** Until when the secret before signs too; null when there is none. */
  rotatingUntil: Date | null;
  lastSuccessAt: Date | null;
  createdAt: Date;
};

// ── Deliveries ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const listDeliveriesInput = endpointIdInput.extend({
  status: z.enum(DELIVERY_STATUSES).optional(),
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(20),
});
export type ListDeliveriesInput = z.infer<typeof listDeliveriesInput>;

export const deliveryIdInput = z.object({ deliveryId: z.uuid() });

export const listAllDeliveriesInput = z.object({
  status: z.enum(DELIVERY_STATUSES).optional(),
  /** E-mail or id of the owner. */
  user: z.string().trim().max(320).optional(),
  endpointId: z.uuid().optional(),
  cursor: z.uuid().optional(),
  limit: z.number().int().min(1).max(100).default(30),
});
export type ListAllDeliveriesInput = z.infer<typeof listAllDeliveriesInput>;

export const adminResendInput = deliveryIdInput.extend({
  reason: z
    .string('Enter the reason.')
    .trim()
    .min(3, 'Enter the reason.')
    .max(500, 'At most 500 characters.'),
});

export type AttemptView = {
  number: number;
  at: Date;
  durationMs: number;
  statusCode: number | null;
  /** First characters of the answer, redacted. */
  answer: string | null;
  error: string | null;
};

export type DeliveryView = {
  /** Sent as `webhook-id`: the same with each try and each resend. */
  id: string;
  eventType: WebhookEvent | 'test';
  status: DeliveryStatus;
  attempts: AttemptView[];
  nextAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  taskId: string | null;
  body: WebhookBody;
};
export type DeliveryPage = { items: DeliveryView[]; nextCursor: string | null };

export type AdminDeliveryView = DeliveryView & {
  endpoint: { id: string; url: string; state: EndpointState; isDeleted: boolean };
  user: { id: string; email: string };
};
export type AdminDeliveryPage = { items: AdminDeliveryView[]; nextCursor: string | null };

/** Path of a task's own page. */
export function taskPath(kind: string, taskId: string): string {
  if (kind === 'agent') return `/workbench/agents/${taskId}`;
  if (kind === 'drama') return `/workbench/dramas/${taskId}`;
  return `/workbench/tasks/${taskId}`;
}

/** What an endpoint's secret is sealed for: it opens as nothing else. */
export const endpointContext = (endpointId: string): string => `webhook-endpoint:${endpointId}`;

/** The page that a notification is about. */
export function notificationPath({
  type,
  taskId,
  data,
}: Pick<NotificationView, 'type' | 'taskId' | 'data'>): string {
  if (taskId !== null) return taskPath(String(data.kind), taskId);
  switch (type) {
    case 'order.paid':
    case 'order.refunded':
      return `/orders/${data.orderId}`;
    case 'webhook.disabled':
      return `/settings/webhooks/${data.endpointId}`;
    default:
      return '/invites';
  }
}
