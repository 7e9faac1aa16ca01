import { Agent, fetch as ufetch, request } from 'undici';
import { createProviderRuntime } from '#server/providers/registry.ts';
const port = process.argv[2];
const base = `http://127.0.0.1:${port}/v1`;
const nolog: any = { debug() {}, info() {}, warn() {}, error() {}, child: () => nolog };
const rt = createProviderRuntime({ storage: {} as never, logger: nolog, guard: { allowHosts: [`127.0.0.1:${port}`] } });
const access = { protocol: 'openai', baseUrl: base, apiKey: 'sk-sandbox-key' };
const agent = new Agent();
async function run(name: string, one: () => Promise<unknown>, n = 4000, c = 64) {
  let left = n;
  const t = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: c }, async () => { while (left-- > 0) await one(); }));
  const used = process.cpuUsage(cpu);
  console.log(name, Math.round(n / ((performance.now() - t) / 1000)), '/s', Math.round((used.user + used.system) / n), 'us cpu');
}
for (let i = 0; i < 3; i++) {
  await run('runtime.poll', () => rt.poll(access, { id: 'video_1', endpoint: 'videos' }, { dispatchId: 'd', signal: new AbortController().signal }));
  await run('undici.fetch', async () => (await ufetch(`${base}/videos/1`, { dispatcher: agent })).json());
  await run('undici.request', async () => (await request(`${base}/videos/1`, { dispatcher: agent })).body.json());
}
process.exit(0);
