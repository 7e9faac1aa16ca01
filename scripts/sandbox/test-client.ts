import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, vi } from 'vitest';
import { type RunningSandbox, type SandboxOptions, startSandbox } from './server.ts';

/** Helpers of the sandbox's own tests. */

export type TestSandbox = RunningSandbox & {
  /** A call with the key; a body is sent as JSON. */
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>;
  createImage(body?: Record<string, unknown>, clientRef?: string): Promise<Response>;
  createVideo(body?: Record<string, unknown>, clientRef?: string): Promise<Response>;
  createSpeech(body?: Record<string, unknown>, clientRef?: string): Promise<Response>;
  createText(body?: Record<string, unknown>, clientRef?: string): Promise<Response>;
  /** Creates a small video and returns its id. */
  videoId(body?: Record<string, unknown>, clientRef?: string): Promise<string>;
  /** Polls until the video says this status. */
  waitForVideo(id: string, status: string): Promise<Record<string, unknown>>;
};

/** `expect.poll` with time for a slow machine. */
export const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 60_000, interval: 10 });

/** A sandbox without delays, with media in a directory that goes with it. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const mediaDir = await mkdtemp(path.join(tmpdir(), 'sandbox-test-'));
  const sandbox = await startSandbox({
    mediaDir,
    delays: { image: 0, video: 0, audio: 0, text: 0 },
    sharedMedia: true,
    ...options,
  });
  const call: TestSandbox['call'] = (method, target, { body, headers } = {}) =>
    fetch(`${sandbox.url}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const create =
    (target: string, preset: Record<string, unknown>) =>
    (body?: Record<string, unknown>, clientRef?: string) =>
      call('POST', target, {
        body: { ...preset, ...body },
        headers: clientRef === undefined ? {} : { 'idempotency-key': clientRef },
      });
  const createVideo = create('/v1/videos', {
    model: 'sora-2',
    prompt: 'a fox',
    seconds: '1',
    size: '128x96',
  });
  return {
    ...sandbox,
    call,
    createVideo,
    createImage: create('/v1/images/generations', { model: 'gpt-image-1', prompt: 'a fox', size: '96x64' }),
    createSpeech: create('/v1/audio/speech', {
      model: 'tts-1',
      input: 'A red fox.',
      voice: 'alloy',
      response_format: 'wav',
    }),
    createText: create('/v1/responses', {
      model: 'gpt-5-mini',
      input: 'a fox',
      background: true,
      store: true,
    }),
    async videoId(body, clientRef) {
      const response = await createVideo(body, clientRef);
      const { id } = (await response.json()) as { id: string };
      return id;
    },
    waitForVideo: (id, status) =>
      vi.waitFor(
        async () => {
          const video = (await (await call('GET', `/v1/videos/${id}`)).json()) as Record<string, unknown>;
          if (video.status !== status) throw new Error(`The video is ${String(video.status)}.`);
          return video;
        },
        { timeout: 60_000, interval: 10 },
      ),
    async close() {
      await sandbox.close();
      await rm(mediaDir, { recursive: true, force: true });
    },
  };
}
