import { answerCancel, answerPoll } from '../answer-job.ts';
import type { Sandbox } from '../endpoint.ts';
import { cancelJob } from '../job-view.ts';
import { polledView, trueView } from '../results.ts';
import type { Job } from '../state.ts';
import { ApiError, type Exchange, sendJson } from '../wire.ts';
import { keyAfter, type WireFormat } from './format.ts';
import { orderedBy, PREFIX, predictionOf, predictionsEndpoint } from './replicate/prediction.ts';

/** Replicate's HTTP API below `/replicate/v1`, by its vendor documentation: predictions, list, account, secret. */

const PAGE_LENGTH = 100;

const getPrediction = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerPoll(sandbox, exchange, job, () => ({
    value: predictionOf(sandbox, polledView(sandbox, job, orderedBy(job))),
  }));

/** One that is over is answered as it is. */
const cancelPrediction = (sandbox: Sandbox, exchange: Exchange, job: Job) =>
  answerCancel(sandbox, exchange, job, () => {
    cancelJob(job);
    return { value: predictionOf(sandbox, trueView(sandbox, job, orderedBy(job))) };
  });

/** `GET /predictions?created_after&created_before&cursor`: newest first. */
function listPredictions(sandbox: Sandbox, exchange: Exchange): void {
  const query = exchange.url.searchParams;
  const time = (name: string, otherwise: number) => Date.parse(query.get(name) ?? '') || otherwise;
  const after = time('created_after', 0);
  const before = time('created_before', Number.POSITIVE_INFINITY);
  const from = Number(query.get('cursor') ?? Number.POSITIVE_INFINITY);
  if (Number.isNaN(from)) throw new ApiError(400, 'invalid', 'The cursor is not valid.', 'cursor');
  const jobs = [...sandbox.state.jobs.values()]
    .filter((job) => job.endpoint === 'predictions' && job.apiKey === exchange.apiKey)
    .filter((job) => job.createdAt >= after && job.createdAt < before && job.row <= from)
    .toReversed();
  const next = jobs[PAGE_LENGTH];
  const page = new URL(`${sandbox.origin()}${PREFIX}/predictions${exchange.url.search}`);
  if (next) page.searchParams.set('cursor', String(next.row));
  sendJson(exchange, 200, {
    previous: null,
    next: next ? page.href : null,
    results: jobs
      .slice(0, PAGE_LENGTH)
      .map((job) => predictionOf(sandbox, trueView(sandbox, job, orderedBy(job)))),
  });
}

const JOBS = ['predictions'] as const;

const TITLES: Record<number, string> = {
  401: 'Unauthenticated',
  402: 'Insufficient credit',
  404: 'Not Found',
  422: 'Input validation failed',
};

export const replicate: WireFormat = {
  name: 'replicate',
  prefix: '/replicate',
  routes: [
    { method: 'POST', path: `${PREFIX}/predictions`, call: 'create', create: predictionsEndpoint },
    {
      method: 'POST',
      path: `${PREFIX}/models/:owner/:name/predictions`,
      call: 'create',
      create: predictionsEndpoint,
    },
    { method: 'GET', path: `${PREFIX}/predictions`, call: 'list', run: listPredictions },
    { method: 'GET', path: `${PREFIX}/predictions/:id`, call: 'poll', jobs: JOBS, handle: getPrediction },
    {
      method: 'POST',
      path: `${PREFIX}/predictions/:id/cancel`,
      call: 'cancel',
      jobs: JOBS,
      handle: cancelPrediction,
    },
    {
      method: 'GET',
      path: `${PREFIX}/account`,
      call: 'check',
      run: (_sandbox, exchange) =>
        sendJson(exchange, 200, { type: 'organization', username: 'sandbox', name: 'Sandbox' }),
    },
    {
      method: 'GET',
      path: `${PREFIX}/webhooks/default/secret`,
      call: 'check',
      run: ({ keys }, exchange) => sendJson(exchange, 200, { key: keys.genuine.secret }),
    },
  ],
  readKey: (exchange) => keyAfter('Bearer', exchange),
  unauthenticated: (sent) =>
    new ApiError(
      401,
      null,
      sent ? 'You did not pass a valid authentication token' : 'You did not pass an authentication token',
    ),
  missing: () => new ApiError(404, null, 'The requested resource could not be found.'),
  errors(error) {
    // A fault of the input is a 422 with the name of the field.
    const status = error.status === 400 && error.param !== null ? 422 : error.status;
    const fields = [{ type: error.code, field: error.param, description: error.message }];
    return {
      status,
      body: {
        ...(TITLES[status] ? { title: TITLES[status] } : {}),
        detail: error.message,
        status,
        ...(status === 422 ? { invalid_fields: fields } : {}),
      },
    };
  },
  requestIdHeader: 'x-request-id',
};
