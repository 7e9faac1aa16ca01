import { request } from 'node:http';
import { waitForDeliveries, waitForReports, waitForRequests } from './control.ts';
import type { CreatesView, JobView, RuleView, SandboxControl } from './control-schemas.ts';
import type { PaymentsView } from './payments/state.ts';
import type { CreateCount, Delivery, SandboxConfig } from './state.ts';
import type { LogEntry } from './wire.ts';

/** One call, on its own connection: a control must not depend on sockets that the sandbox misuses. */
function call<T>(target: URL, method: string, body?: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const sending = request(target, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode === 200) resolve(JSON.parse(answer) as T);
        else
          reject(
            new Error(
              `The sandbox answered ${response.statusCode} to ${method} ${target.pathname}: ${answer}`,
            ),
          );
      });
    });
    sending.on('error', reject);
    sending.end(text);
  });
}

/** The control functions of a sandbox in another process. */
export function connectControl(sandboxUrl: string): SandboxControl {
  const at = (path: string, query: Record<string, string | undefined> = {}) => {
    const url = new URL(`/control/${path}`, sandboxUrl);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    return url;
  };
  const control: SandboxControl = {
    addRules: async (...rules) => (await call<{ ids: string[] }>(at('rules'), 'POST', { rules })).ids,
    rules: async () => (await call<{ rules: RuleView[] }>(at('rules'), 'GET')).rules,
    removeRules: async (id) => (await call<{ removed: number }>(at('rules', { id }), 'DELETE')).removed,
    release: async (filter = {}) =>
      (await call<{ released: number }>(at('release'), 'POST', filter)).released,
    creates: () => call<CreatesView>(at('creates'), 'GET'),
    createsOf: (clientRef) => call<CreateCount>(at('creates', { clientRef }), 'GET'),
    requests: async (filter = {}) =>
      (await call<{ requests: LogEntry[] }>(at('requests', filter), 'GET')).requests,
    deliveries: async (filter = {}) =>
      (await call<{ deliveries: Delivery[] }>(at('deliveries', filter), 'GET')).deliveries,
    jobs: async (filter = {}) => (await call<{ jobs: JobView[] }>(at('jobs', filter), 'GET')).jobs,
    payments: (filter = {}) => call<PaymentsView>(at('payments', filter), 'GET'),
    loseRefundAnswers: async (count) => {
      await call(at('payments/lost-answers'), 'POST', { count });
    },
    configure: (config) => call<SandboxConfig>(at('config'), 'POST', config),
    reset: async () => {
      await call(at('reset'), 'POST');
    },
    waitForRequests: (filter, options) => waitForRequests(control, filter, options),
    waitForDeliveries: (filter, options) => waitForDeliveries(control, filter, options),
    waitForReports: (filter, options) => waitForReports(control, filter, options),
  };
  return control;
}
