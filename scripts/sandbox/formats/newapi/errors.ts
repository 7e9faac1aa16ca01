import { randomBytes } from 'node:crypto';
import { ApiError, type ErrorStyle, type Exchange } from '../../wire.ts';
import { keyAfter, type WireFormat } from '../format.ts';

/** What the route families of an aggregator share: keys, ids of tasks, and errors in three shapes. */

export const taskId = () => `task_${randomBytes(16).toString('hex')}`;

/** Refusals of the gateway itself look like OpenAI's in every family. */
export const openaiShapedErrors: ErrorStyle = ({ status, code, message, param }, { requestId }) => ({
  status,
  body: {
    error: {
      message: `${message} (request id: ${requestId})`,
      type: status >= 500 ? 'upstream_error' : 'new_api_error',
      param: param ?? '',
      code: code ?? '',
    },
  },
});

function taskCode({ status, code }: ApiError, { log }: Exchange): string {
  if (code === 'not_found') return 'task_not_exist';
  if (code !== null) return code;
  if (status < 500) return 'invalid_request';
  // On a create nobody can tell whether the vendor took it.
  return log.call === 'create' ? 'do_request_failed' : 'get_task_failed';
}

/** `{code, message, data: null}`; a task that does not exist is a 400. */
export const taskErrors: ErrorStyle = (error, exchange) => {
  if (error.status === 401) return openaiShapedErrors(error, exchange);
  const code = taskCode(error, exchange);
  const status = code === 'task_not_exist' ? 400 : error.status;
  return { status, body: { code, message: error.message, data: null } };
};

const isMidjourney = ({ url }: Exchange) => /^\/newapi\/mj[-/]/.test(url.pathname);

export function aggregatorFormat(family: Pick<WireFormat, 'prefix' | 'routes' | 'errors'>): WireFormat {
  return {
    ...family,
    name: 'newapi',
    readKey(exchange) {
      const secret = exchange.req.headers['mj-api-secret'];
      if (isMidjourney(exchange) && typeof secret === 'string') return secret;
      return keyAfter('Bearer', exchange);
    },
    unauthenticated: (sent) => new ApiError(401, '', sent ? 'Invalid token' : 'No token was given'),
    missing: () => new ApiError(404, 'not_found', 'task_not_exist'),
    requestIdHeader: 'x-oneapi-request-id',
  };
}
