import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { addRule, removeRules } from './attachments.ts';
import {
  type ConfigInput,
  configBody,
  type DeliveryFilter,
  deliveryFilter,
  type JobView,
  lostAnswersBody,
  type RequestFilter,
  releaseBody,
  requestFilter,
  rulesBody,
  type SandboxControl,
  type WaitOptions,
} from './control-schemas.ts';
import { describeBehaviours } from './directives.ts';
import { truthOf } from './job-view.ts';
import { type PaymentDelivery, viewPayments } from './payments/state.ts';
import { type CreateCount, type Delivery, releaseJobs, resetState, type SandboxState } from './state.ts';
import { TALK_DIRECTIVES } from './talk/directives.ts';
import { ApiError, type Exchange, type LogEntry, readBody, sendJson } from './wire.ts';

const LOOK_AGAIN_MS = 10;
const WAIT_LIMIT_MS = 30_000;

/** Whether an entry has every value that the filter names. */
function fits<F extends object>(entry: F, filter: { [K in keyof F]?: F[K] | undefined }): boolean {
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || Reflect.get(entry, name) === value,
  );
}

function configure(state: SandboxState, input: ConfigInput): void {
  const { delays, ...rest } = input;
  const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  state.config = { ...state.config, ...set, delays: { ...state.config.delays, ...delays } };
}

function emptyCount(clientRef: string): CreateCount {
  return { clientRef, received: 0, recorded: 0, kinds: [], jobIds: [], firstAt: 0, lastAt: 0 };
}

/** Repeats a look until it shows enough. */
async function waitUntil<T>(look: () => Promise<T[]>, what: string, options: WaitOptions = {}): Promise<T[]> {
  const { atLeast = 1, timeoutMs = WAIT_LIMIT_MS } = options;
  const end = performance.now() + timeoutMs;
  for (;;) {
    const entries = await look();
    if (entries.length >= atLeast) return entries;
    if (performance.now() > end)
      throw new Error(`The sandbox saw ${entries.length} of ${atLeast} ${what} in ${timeoutMs} ms.`);
    await sleep(LOOK_AGAIN_MS);
  }
}

export const waitForRequests = (
  control: Pick<SandboxControl, 'requests'>,
  filter: RequestFilter,
  options?: WaitOptions,
): Promise<LogEntry[]> =>
  waitUntil(() => control.requests(filter), `calls like ${JSON.stringify(filter)}`, options);

export const waitForDeliveries = (
  control: Pick<SandboxControl, 'deliveries'>,
  filter: DeliveryFilter,
  options?: WaitOptions,
): Promise<Delivery[]> =>
  waitUntil(
    async () => (await control.deliveries(filter)).filter((delivery) => delivery.finished),
    `deliveries like ${JSON.stringify(filter)}`,
    options,
  );

export const waitForReports = (
  control: Pick<SandboxControl, 'payments'>,
  filter: { orderId: string },
  options?: WaitOptions,
): Promise<PaymentDelivery[]> =>
  waitUntil(
    async () => (await control.payments(filter)).deliveries.filter((delivery) => delivery.finished),
    `reports of payments like ${JSON.stringify(filter)}`,
    options,
  );

/** The control functions on a state in this process. */
export function createDirectControl(state: SandboxState): SandboxControl {
  const control: SandboxControl = {
    addRules: async (...rules) => {
      const parsed = z.array(rulesBody).parse(rules).flat();
      return parsed.map((rule) => addRule(state, rule).id);
    },
    rules: async () =>
      state.rules.map((rule) => ({
        id: rule.id,
        match: rule.match,
        behaviours: rule.behaviours.map((item) => item.type),
        applied: rule.applied,
        left: Number.isFinite(rule.left) ? rule.left : null,
      })),
    removeRules: async (ruleId) => removeRules(state, ruleId),
    release: async (filter = {}) => releaseJobs(state, filter),
    creates: async () => {
      const creates = structuredClone([...state.creates.values()]);
      const sum = (pick: (count: CreateCount) => number) =>
        creates.reduce((total, count) => total + pick(count), 0);
      return {
        total: { received: sum((count) => count.received), recorded: sum((count) => count.recorded) },
        maxPerReference: creates
          .filter((count) => count.clientRef !== null)
          .reduce((max, count) => Math.max(max, count.received), 0),
        creates,
      };
    },
    createsOf: async (clientRef) => structuredClone(state.creates.get(clientRef) ?? emptyCount(clientRef)),
    requests: async (filter = {}) => structuredClone(state.requests.filter((entry) => fits(entry, filter))),
    deliveries: async (filter = {}) =>
      structuredClone(state.deliveries.filter((entry) => fits(entry, filter))),
    jobs: async (filter = {}) => {
      const now = Date.now();
      const jobs = [...state.jobs.values()].filter(
        (job) => filter.clientRef === undefined || job.clientRef === filter.clientRef,
      );
      return jobs.map((job): JobView => {
        const { status, progress } = truthOf(job, now);
        const { id, kind, format, endpoint, clientRef, prompt, model, polls, contentReads } = job;
        const { createdAt, released } = job;
        const behaviours = job.behaviours.map((item) => item.behaviour.type);
        return {
          id,
          kind,
          format,
          endpoint,
          clientRef,
          prompt,
          model,
          polls,
          contentReads,
          createdAt,
          released,
          status,
          progress,
          behaviours,
        };
      });
    },
    payments: async (filter) => viewPayments(state.payments, filter),
    loseRefundAnswers: async (count) => {
      state.payments.lostRefundAnswers = count;
    },
    configure: async (config) => {
      configure(state, configBody.parse(config));
      return structuredClone(state.config);
    },
    reset: async () => resetState(state),
    waitForRequests: (filter, options) => waitForRequests(control, filter, options),
    waitForDeliveries: (filter, options) => waitForDeliveries(control, filter, options),
    waitForReports: (filter, options) => waitForReports(control, filter, options),
  };
  return control;
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ApiError(400, 'invalid_control', z.prettifyError(result.error));
}

async function readControlBody(exchange: Exchange): Promise<unknown> {
  const empty =
    exchange.req.headers['content-length'] === '0' || exchange.req.headers['content-type'] === undefined;
  return empty ? {} : (await readBody(exchange.req)).fields;
}

/** Routes below `/control`; false when there is no such route. */
export async function handleControl(control: SandboxControl, exchange: Exchange): Promise<boolean> {
  const { req, url } = exchange;
  const query = Object.fromEntries(url.searchParams);
  const answer = (value: unknown) => {
    sendJson(exchange, 200, value);
    return true;
  };
  switch (`${req.method} ${url.pathname}`) {
    case 'GET /control/health':
      return answer({ ok: true });
    case 'GET /control/behaviours':
      return answer({ behaviours: describeBehaviours(), conversations: TALK_DIRECTIVES });
    case 'GET /control/rules':
      return answer({ rules: await control.rules() });
    case 'POST /control/rules': {
      const body = await readControlBody(exchange);
      const rules = parse(
        rulesBody,
        typeof body === 'object' && body !== null && 'rules' in body ? body.rules : body,
      );
      return answer({ ids: await control.addRules(...[rules].flat()) });
    }
    case 'DELETE /control/rules':
      return answer({ removed: await control.removeRules(query.id) });
    case 'POST /control/release':
      return answer({ released: await control.release(parse(releaseBody, await readControlBody(exchange))) });
    case 'GET /control/creates':
      return answer(
        query.clientRef === undefined ? await control.creates() : await control.createsOf(query.clientRef),
      );
    case 'GET /control/requests':
      return answer({ requests: await control.requests(parse(requestFilter, query)) });
    case 'GET /control/deliveries':
      return answer({ deliveries: await control.deliveries(parse(deliveryFilter, query)) });
    case 'GET /control/jobs':
      return answer({ jobs: await control.jobs({ clientRef: query.clientRef }) });
    case 'GET /control/payments':
      return answer(await control.payments({ orderId: query.orderId }));
    case 'POST /control/payments/lost-answers':
      await control.loseRefundAnswers(parse(lostAnswersBody, await readControlBody(exchange)).count);
      return answer({ ok: true });
    case 'POST /control/config':
      return answer(await control.configure(parse(configBody, await readControlBody(exchange))));
    case 'POST /control/reset':
      await control.reset();
      return answer({ ok: true });
    default:
      return false;
  }
}
