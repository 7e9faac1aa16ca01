import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { planFilm } from '#server/composition/plan-film.ts';
import { TITLE_CARD_SECONDS } from '#server/generation/drama/quote-plan.ts';
import { mediaTools } from '#server/storage/media-tools.ts';
import { createClient, type SidelaneClient } from '#server/trpc/client.ts';
import type { LocalStack } from '../lib/local-stack.ts';
import type { CompositeIds } from './order-composites.ts';

export type CompositeReport = {
  agent: string;
  drama: string;
  /** Length of the film as its file says; 0 when the film is not what was planned. */
  dramaSeconds: number;
};

/** The film may be this much shorter or longer than its plan. */
const TOLERANCE_SECONDS = 0.2;

/**
 * Looks at the agent's and the drama's end as their user would, and probes the film: one stream of pictures, one of sound,
 * as long as its storyboard and its voices make it.
 *
 * @throws Error that says what is not as planned
 */
export async function checkComposites(stack: LocalStack, ids: CompositeIds): Promise<CompositeReport> {
  const client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
  const agent = await client.agents.get.query({ taskId: ids.agent });
  const made = agent.transcript.filter((entry) => entry.type === 'make' && entry.status === 'done');
  if (made.length !== 2) throw new Error(`The agent had ${made.length} things made instead of two.`);
  const { drama, planned } = await readDrama(client, ids.drama);
  if (!drama.film) return { agent: agent.task.status, drama: drama.task.status, dramaSeconds: 0 };
  const probed = await probeFilm(stack, drama.film.videoUrl);
  if (probed.videoStreams !== 1 || probed.audioStreams !== 1) {
    throw new Error(
      `The film has ${probed.videoStreams} streams of pictures and ${probed.audioStreams} of sound.`,
    );
  }
  if (Math.abs(probed.seconds - planned) > TOLERANCE_SECONDS) {
    throw new Error(`The film lasts ${probed.seconds} s instead of ${planned} s.`);
  }
  return {
    agent: agent.task.status,
    drama: drama.task.status,
    dramaSeconds: Math.round(probed.seconds * 10) / 10,
  };
}

async function readDrama(client: SidelaneClient, taskId: string) {
  const drama = await client.dramas.get.query({ taskId });
  const voices = new Map(
    drama.shots.map(({ id, voice }) => [id, { voiceMs: voice?.child?.outputs[0]?.durationMs ?? null }]),
  );
  const plan = drama.plan;
  if (!plan) throw new Error('The drama has no storyboard.');
  if (plan.shots.length !== 3) throw new Error(`The film has ${plan.shots.length} shots instead of three.`);
  const shots = plan.shots.map(({ id, seconds, narration }) => ({
    id,
    seconds,
    caption: narration,
    visual: { type: 'clip' as const, path: '', mime: '' },
    voice: null,
  }));
  const { totalMs } = planFilm({ title: plan.title, titleCardSeconds: TITLE_CARD_SECONDS, shots }, voices);
  return { drama, planned: totalMs / 1_000 };
}

/** Downloads the film over HTTP, as a browser would, and asks ffprobe what it is. */
async function probeFilm(stack: LocalStack, url: string) {
  const response = await fetch(new URL(url, stack.webUrl), {
    headers: { authorization: `Bearer ${stack.login.apiToken}` },
  });
  if (!response.ok) throw new Error(`The film answered ${response.status}.`);
  const dir = await mkdtemp(path.join(tmpdir(), 'sidelane-demo-'));
  try {
    const file = path.join(dir, 'film.mp4');
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const result = await mediaTools().run(
      'ffprobe',
      ['-of', 'json', '-show_entries', 'format=duration:stream=codec_type', '-f', 'mp4', file],
      { timeoutMs: 60_000, maxOutputBytes: 100_000 },
    );
    if (result.type !== 'exited' || result.code !== 0) throw new Error('The film could not be probed.');
    const said = JSON.parse(result.stdout.toString()) as {
      format: { duration: string };
      streams: { codec_type: string }[];
    };
    const count = (type: string) => said.streams.filter((stream) => stream.codec_type === type).length;
    return {
      seconds: Number(said.format.duration),
      videoStreams: count('video'),
      audioStreams: count('audio'),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
