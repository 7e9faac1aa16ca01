import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { findEndpoint, findUserId, listAttempts, listDeliveries } from './endpoint-queries.ts';
import { stateOf, toDeliveryView } from './endpoint-views.ts';
import type {
  AdminDeliveryPage,
  DeliveryPage,
  ListAllDeliveriesInput,
  ListDeliveriesInput,
} from './schemas.ts';

/** The log of one's own endpoint, newest first, with each try. @throws AppError `not_found` */
export async function readDeliveries(
  deps: Pick<Deps, 'db'>,
  input: ListDeliveriesInput & { userId: string },
): Promise<DeliveryPage> {
  if (!(await findEndpoint(deps.db, input.userId, input.endpointId))) {
    throw new AppError('not_found', 'There is no such endpoint.');
  }
  const { items, attempts, nextCursor } = await readPage(deps, input);
  return { items: items.map((item) => toDeliveryView(item, attempts)), nextCursor };
}

/** Everybody's deliveries, for administrators. */
export async function readAllDeliveries(
  deps: Pick<Deps, 'db'>,
  { user, ...input }: ListAllDeliveriesInput,
): Promise<AdminDeliveryPage> {
  const userId = user ? await findUserId(deps.db, user) : undefined;
  if (user && !userId) return { items: [], nextCursor: null };
  const { items, attempts, nextCursor } = await readPage(deps, { ...input, userId });
  return {
    items: items.map((item) => ({
      ...toDeliveryView(item, attempts),
      endpoint: {
        id: item.endpoint.id,
        url: item.endpoint.url,
        state: stateOf(item.endpoint),
        isDeleted: item.endpoint.deletedAt !== null,
      },
      user: { id: item.delivery.userId, email: item.email },
    })),
    nextCursor,
  };
}

async function readPage(deps: Pick<Deps, 'db'>, input: Parameters<typeof listDeliveries>[1]) {
  const rows = await listDeliveries(deps.db, { ...input, limit: input.limit + 1 });
  const items = rows.slice(0, input.limit);
  const attempts = await listAttempts(
    deps.db,
    items.map(({ delivery }) => delivery.id),
  );
  return {
    items,
    attempts,
    nextCursor: rows.length > input.limit ? (items.at(-1)?.delivery.id ?? null) : null,
  };
}
