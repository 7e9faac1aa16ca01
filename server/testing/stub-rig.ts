import type { Kind } from '#server/generation/status.ts';
import { isTerminal } from '#server/generation/status.ts';
import { createChannel } from '#server/providers/channels/manage-channels.ts';
import { createModel } from './factories.ts';
import { createRig, type RigOptions } from './rig.ts';
import { type SampleMedia, sampleMedia } from './sample-media.ts';
import { type Reply, type Stub, startStubUpstream } from './stub-upstream.ts';

/** The rig, and channels of any protocol whose upstream answers what a case says. */

const SETTLE_LOOKS = 200;

type Vendor = { protocol: string; basePath: string; endpoint: string; kind: Kind; model: string };

const VENDORS = {
  replicateImage: {
    protocol: 'replicate',
    basePath: '/v1',
    endpoint: 'image',
    kind: 'image',
    model: 'acme/painter',
  },
  replicateVideo: {
    protocol: 'replicate',
    basePath: '/v1',
    endpoint: 'video',
    kind: 'video',
    model: 'acme/filmer',
  },
  newapiVideo: {
    protocol: 'newapi',
    basePath: '/v1',
    endpoint: 'video',
    kind: 'video',
    model: 'kling-v2-1',
  },
  openaiImage: {
    protocol: 'openai',
    basePath: '/v1',
    endpoint: 'images',
    kind: 'image',
    model: 'gpt-image-1',
  },
  openaiSpeech: { protocol: 'openai', basePath: '/v1', endpoint: 'speech', kind: 'audio', model: 'tts-1' },
  openaiVideo: { protocol: 'openai', basePath: '/v1', endpoint: 'videos', kind: 'video', model: 'sora-2' },
  openaiText: { protocol: 'openai', basePath: '/v1', endpoint: 'responses', kind: 'text', model: 'gpt-5' },
  geminiVideo: {
    protocol: 'gemini',
    basePath: '/v1beta',
    endpoint: 'video',
    kind: 'video',
    model: 'veo-3.1-generate-preview',
  },
  klingVideo: { protocol: 'kling', basePath: '', endpoint: 'video', kind: 'video', model: 'kling-v2-6' },
  minimaxVideo: {
    protocol: 'minimax',
    basePath: '',
    endpoint: 'video',
    kind: 'video',
    model: 'MiniMax-Hailuo-02',
  },
  arkVideo: {
    protocol: 'ark',
    basePath: '/api/v3',
    endpoint: 'video',
    kind: 'video',
    model: 'seedance-1-0-pro-250528',
  },
  dashscopeVideo: {
    protocol: 'dashscope',
    basePath: '/api/v1',
    endpoint: 'video',
    kind: 'video',
    model: 'wan2.6-t2v',
  },
} as const satisfies Record<string, Vendor>;

/** The key of every stubbed channel; one that needs two parts has them. */
export const STUB_KEY = 'access-key-of-the-stub:secret-key-of-the-stub';

export type StubRig = Awaited<ReturnType<typeof createStubRig>>;
export type StubChannel = Stub & { channelId: string; modelId: string; slug: string; kind: Kind };

type Columns = Partial<Parameters<typeof createModel>[1]>;

export async function createStubRig(options: RigOptions = {}) {
  const media: SampleMedia = await sampleMedia();
  const upstream = await startStubUpstream();
  const rig = await createRig({ ...options, allowHosts: [upstream.host, ...(options.allowHosts ?? [])] });

  const fileOf = (kind: Kind): Reply =>
    kind === 'text'
      ? { text: 'A text.' }
      : { bytes: media[kind].bytes, headers: { 'content-type': media[kind].mime } };

  /** A channel with one model on a stub of its own. Files are good unless the case says otherwise. */
  async function open(vendor: keyof typeof VENDORS, columns: Columns = {}): Promise<StubChannel> {
    const about = VENDORS[vendor];
    const stub = upstream.open();
    stub.file = [fileOf(about.kind)];
    const { channelId } = await createChannel(rig.deps, {
      name: stub.url,
      protocol: about.protocol as 'openai',
      baseUrl: `${stub.url}${about.basePath}`,
      apiKey: STUB_KEY,
      maxInFlight: 1_000,
      templates: [],
    });
    const model = await createModel(rig.db, {
      channelId,
      kind: about.kind,
      endpoint: about.endpoint,
      upstreamModel: about.model,
      parameters: {},
      price: { unit: 'call', credits: 5 },
      ...columns,
    });
    return Object.assign(stub, { channelId, modelId: model.id, slug: model.slug, kind: about.kind });
  }

  const hurry = async (taskId: string) => {
    await rig.t.sql`update provider_channels set paused_until = null, cool_down_until = null`;
    await rig.t.sql`
      update generation_tasks set next_poll_at = now()
      where id = ${taskId} and finished_at is null and lease_until is null`;
  };

  return {
    ...rig,
    media,
    upstream,
    openChannel: open,
    fileOf,
    submitTo: (stub: StubChannel, overrides: Parameters<typeof rig.submit>[1] = {}) =>
      rig.submit(stub.kind, { model: stub.slug, ...overrides }),
    /** Makes the task due, whatever it waits for: time passes. */
    hurry,
    /** So many knocks, with the task due before each. */
    async knocks(taskId: string, times = 10) {
      for (let done = 0; done < times; done += 1) {
        await hurry(taskId);
        await rig.knock();
      }
    },
    /** Goes on until the task and its money have ended, without waiting for due times. */
    async finish(taskId: string) {
      await this.until(taskId, (view) => isTerminal(view.status));
      return rig.runToEnd(taskId);
    },
    async until(taskId: string, done: (view: Awaited<ReturnType<typeof rig.view>>) => boolean) {
      return rig.runUntil(
        taskId,
        done,
        // Time passes before each knock.
        { ...rig.executor, run: async (input) => hurry(taskId).then(() => rig.executor.run(input)) },
      );
    },
    /** Waits until this holds, without knocking. */
    async eventually(holds: () => boolean | Promise<boolean>) {
      for (let looks = 0; looks < SETTLE_LOOKS * 10; looks += 1) {
        if (await holds()) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error('It never came to hold');
    },
    /** Past the time that the policy gives an uncertain task. */
    ageUncertain: (taskId: string) =>
      rig.t.sql`
        update generation_tasks set uncertain_until = now() - interval '1 second', next_poll_at = now()
        where id = ${taskId} and status = 'uncertain'`,
    refundRows: async (taskId: string) =>
      Number(
        (
          await rig.t
            .sql`select count(*) as n from credit_ledger where task_id = ${taskId} and kind = 'refund'`
        )[0]?.n,
      ),
    async close() {
      await upstream.close();
      await rig.close();
    },
  };
}

/** `C→` of Replicate's predictions. */
export const taken = (id = 'p1'): Reply => ({ status: 201, json: { id, status: 'starting' } });
/** `P→` of Replicate's predictions. */
export const said = (status: unknown, more: object = {}): Reply => ({ json: { id: 'p1', status, ...more } });
