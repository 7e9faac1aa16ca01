import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import {
  countEndpointsLocked,
  findEndpoint,
  insertEndpoint,
  insertTest,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
  updateEndpoint,
} from './endpoint-queries.ts';
import { toEndpointView } from './endpoint-views.ts';
import {
  type CreateEndpointInput,
  type EndpointView,
  endpointContext,
  MOST_ENDPOINTS,
  ROTATION_HOURS,
  type UpdateEndpointInput,
} from './schemas.ts';
import { newWebhookSecret } from './sign-delivery.ts';

type Own = { userId: string; endpointId: string };

const noSuchEndpoint = () => new AppError('not_found', 'There is no such endpoint.');

export async function viewEndpoints(
  deps: Pick<Deps, 'db' | 'clock'>,
  userId: string,
): Promise<EndpointView[]> {
  const now = deps.clock.now();
  return (await listEndpoints(deps.db, userId)).map((row) => toEndpointView(row, now));
}

/** @throws AppError `not_found` */
export async function viewEndpoint(deps: Pick<Deps, 'db' | 'clock'>, input: Own): Promise<EndpointView> {
  const row = await findEndpoint(deps.db, input.userId, input.endpointId);
  if (!row) throw noSuchEndpoint();
  return toEndpointView(row, deps.clock.now());
}

/**
 * Makes an endpoint. Its secret is in this answer and nowhere else in clear.
 *
 * @throws AppError `conflict` for one too many, `bad_request` for an address that nothing is sent to
 */
export async function createEndpoint(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'keyRing' | 'providers'>,
  input: CreateEndpointInput & { userId: string },
): Promise<{ endpoint: EndpointView; secret: string }> {
  refuseAddress(deps, input.url);
  const id = deps.newId();
  const secret = newWebhookSecret();
  const row = await deps.db.transaction(async (tx) => {
    if ((await countEndpointsLocked(tx, input.userId)) >= MOST_ENDPOINTS) {
      throw new AppError(
        'conflict',
        `You have ${MOST_ENDPOINTS} endpoints. Remove one that you no longer use.`,
      );
    }
    return insertEndpoint(tx, {
      ...input,
      id,
      events: distinct(input.events),
      secret: deps.keyRing.seal(secret, endpointContext(id)),
    });
  });
  return { endpoint: toEndpointView(row, deps.clock.now()), secret };
}

/** @throws AppError `not_found`, `bad_request` for an address that nothing is sent to */
export async function changeEndpoint(
  deps: Pick<Deps, 'db' | 'clock' | 'providers'>,
  input: UpdateEndpointInput & { userId: string },
): Promise<EndpointView> {
  refuseAddress(deps, input.url);
  const row = await updateEndpoint(deps.db, { ...input, events: distinct(input.events) });
  if (!row) throw noSuchEndpoint();
  return toEndpointView(row, deps.clock.now());
}

/** A new secret; the one before signs too for a day, so that a receiver can change over. @throws AppError `not_found` */
export async function rotateSecret(
  deps: Pick<Deps, 'db' | 'keyRing'>,
  input: Own,
): Promise<{ secret: string }> {
  const secret = newWebhookSecret();
  const sealed = deps.keyRing.seal(secret, endpointContext(input.endpointId));
  if (!(await replaceSecret(deps.db, { ...input, secret: sealed, hours: ROTATION_HOURS }))) {
    throw noSuchEndpoint();
  }
  return { secret };
}

/** @throws AppError `not_found` */
export async function deleteEndpoint(deps: Pick<Deps, 'db'>, input: Own): Promise<void> {
  if (!(await removeEndpoint(deps.db, input.userId, input.endpointId))) throw noSuchEndpoint();
}

const TESTS = { tests: 10, minutes: 10 };

/**
 * Sends an event of the type `test` at once; it is in the log like any other, and is not tried again.
 *
 * @throws AppError `not_found`, `conflict` when it is switched off, `too_many_requests`
 */
export async function sendTest(
  deps: Pick<Deps, 'db' | 'clock' | 'newId' | 'due'>,
  input: Own,
): Promise<{ deliveryId: string }> {
  const row = await findEndpoint(deps.db, input.userId, input.endpointId);
  if (!row) throw noSuchEndpoint();
  if (!row.enabled) throw new AppError('conflict', 'This endpoint is switched off. Switch it on first.');
  const id = deps.newId();
  const body = {
    type: 'test' as const,
    timestamp: deps.clock.now().toISOString(),
    data: { endpointId: row.id, message: 'A test of this endpoint. Nothing has happened.' },
  };
  if (!(await insertTest(deps.db, { id, ...input, body }, TESTS))) {
    throw new AppError('too_many_requests', 'Ten tests within ten minutes are enough. Wait a moment.', {
      retryAfterSeconds: 60,
    });
  }
  deps.due.wake();
  return { deliveryId: id };
}

function refuseAddress({ providers }: Pick<Deps, 'providers'>, url: string): void {
  const refusal = providers.refuseAddress(url);
  if (refusal !== null) throw new AppError('bad_request', refusal, { field: 'url' });
}

const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)];
