import { readCredits } from '#server/billing/read-credits.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { usableCandidates } from './candidates.ts';
import { describeEvent } from './describe-event.ts';
import { listEnabledModels, type ModelTimes } from './model-queries.ts';
import { readModelTimes } from './model-times.ts';
import { listEvents, listReferences, listTasks, readTasks } from './queries.ts';
import { referenceMedia } from './reference-media.ts';
import type {
  ListInput,
  ModelView,
  QuoteInput,
  QuoteView,
  TaskDetailView,
  TaskPage,
  TaskView,
} from './schemas.ts';
import { LIVE_STATUSES, type Status } from './status.ts';
import { checkOrder } from './submit-task.ts';
import { toTaskViews } from './task-views.ts';

/** The models a user may choose from: enabled, with an enabled channel whose adapter speaks their endpoint. */
export async function readModels(deps: Deps): Promise<ModelView[]> {
  const [rows, times] = await Promise.all([listEnabledModels(deps.db), readModelTimes(deps)]);
  return rows.flatMap((row) => {
    const [first] = usableCandidates(row, deps.providers, deps.clock.now()) ?? [];
    if (!first) return [];
    const { model } = row;
    return {
      slug: model.slug,
      kind: model.kind,
      title: model.title,
      description: model.description,
      parameters: model.parameters,
      price: model.price,
      maxPromptCharacters: model.maxPromptCharacters,
      maxReferences: model.maxReferences,
      referenceRoles: model.referenceRoles,
      takes: referenceMedia(
        deps.providers,
        {
          protocol: first.channel.protocol,
          endpoint: first.endpoint,
          model: first.upstreamModel,
          settings: first.channel.settings,
        },
        model,
      ),
      chargedWhenCancelled: model.chargedWhenCancelled,
      cancellable: deps.providers.canCancel(first.channel.protocol, first.endpoint),
      converses: deps.providers.canConverse(first.channel.protocol, first.endpoint),
      typicalSeconds: typicalOf(times.get(model.slug)),
    };
  });
}

/** One or two successes say nothing about the next. */
const LEAST_SUCCESSES = 3;

function typicalOf(times: ModelTimes | undefined): ModelView['typicalSeconds'] {
  if (!times || times.count < LEAST_SUCCESSES) return null;
  return { p50: times.p50Seconds, p90: times.p90Seconds };
}

/** The price of an order, before it is placed. @throws AppError as `submitTask` */
export async function quoteTask(deps: Deps, input: QuoteInput & { userId: string }): Promise<QuoteView> {
  const order = await checkOrder(deps, input);
  const { balanceCredits } = await readCredits(deps, input.userId);
  const { credits } = order.ordered;
  return { credits, balanceCredits, affordable: balanceCredits >= credits };
}

/** @throws AppError `not_found`, the same for a foreign task as for none */
export async function readTask(
  deps: Deps,
  input: { userId: string; taskId: string },
): Promise<TaskDetailView> {
  const bundles = await readTasks(deps.db, input.userId, [input.taskId]);
  const [view] = await toTaskViews(deps, bundles);
  const details = bundles[0]?.details;
  if (!view || !details) throw new AppError('not_found', 'There is no such task.');
  const [events, references] = await Promise.all([
    listEvents(deps.db, view.id),
    listReferences(deps.db, details.referenceIds),
  ]);
  return { ...view, events: events.map((event) => describeEvent(event, 'user')), references };
}

export async function readTaskViews(
  deps: Deps,
  input: { userId: string; taskIds: readonly string[] },
): Promise<TaskView[]> {
  return toTaskViews(deps, await readTasks(deps.db, input.userId, input.taskIds));
}

const STATES: Readonly<Record<NonNullable<ListInput['state']>, readonly Status[]>> = {
  active: LIVE_STATUSES,
  succeeded: ['succeeded'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};

/** A user's tasks, newest first. */
export async function readTaskPage(deps: Deps, input: ListInput & { userId: string }): Promise<TaskPage> {
  const bundles = await listTasks(deps.db, {
    userId: input.userId,
    kind: input.kind,
    withoutChildren: true,
    statuses: input.state ? STATES[input.state] : undefined,
    cursor: input.cursor,
    limit: input.limit + 1,
  });
  const items = await toTaskViews(deps, bundles.slice(0, input.limit));
  return { items, nextCursor: bundles.length > input.limit ? (items.at(-1)?.id ?? null) : null };
}
