import type { CreateRequest, ReferenceFile } from '../../provider.ts';
import { customAdapter } from '../adapter.ts';
import type { CustomSettings } from '../schemas.ts';
import { placeholdersIn } from '../template/schemas.ts';
import { describeCreate, describePoll } from './describe.ts';
import { rehearse, viewRequest } from './rehearsal.ts';
import type { DryRunInput, DryRunView } from './schemas.ts';

const SAMPLE_ID = 'sample-job-id';
/** The signature that a PNG starts with: enough to show how a file is written. */
const SAMPLE_FILE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Shows what a description does: the requests that would be sent, with the key masked, and what would be read from the
 * pasted answers. It is the adapter itself that runs, so nothing can differ; nothing leaves this process.
 */
export async function dryRun(input: DryRunInput): Promise<DryRunView> {
  const { settings, baseUrl, created } = input;
  const first = rehearse(settings, baseUrl, [created]);
  const outcome = await customAdapter.create(sampleRequest(input), first.ctx);
  const [sent] = first.requests;
  const create = {
    request: sent ? viewRequest(sent, settings, baseUrl) : null,
    reading: sent && created ? describeCreate(outcome, settings, created) : null,
  };
  const problem = sent || !('message' in outcome) ? null : outcome.message;
  const id = outcome.type === 'accepted' ? outcome.upstreamId : SAMPLE_ID;
  return { problem, create, poll: settings.poll ? await dryPoll(input, id) : null };
}

async function dryPoll(input: DryRunInput, id: string): Promise<NonNullable<DryRunView['poll']>> {
  const { settings, baseUrl, polled, result } = input;
  const { ctx, requests } = rehearse(settings, baseUrl, [polled, result]);
  const outcome = await customAdapter.poll({ id, endpoint: input.sample.kind }, ctx);
  return {
    requests: requests.map((request) => viewRequest(request, settings, baseUrl)),
    reading: polled ? describePoll(outcome, settings, polled) : null,
  };
}

function sampleRequest({ settings, sample }: DryRunInput): CreateRequest {
  return { ...sample, endpoint: sample.kind, references: sampleFiles(settings) };
}

/** One file for every place that the template has. */
function sampleFiles(settings: CustomSettings): ReferenceFile[] {
  const names = new Set(placeholdersIn(settings.create.template).map(({ name }) => name));
  let count = names.has('references') ? 1 : 0;
  while (names.has(`references.${count}`)) count += 1;
  const roles: ReferenceFile['role'][] = [
    ...(names.has('firstFrame') ? (['first_frame'] as const) : []),
    ...(names.has('lastFrame') ? (['last_frame'] as const) : []),
    ...Array.from({ length: count }, () => 'reference' as const),
  ];
  return roles.map((role, index) => ({
    id: `sample-${index}`,
    role,
    fileName: `sample-${index + 1}.png`,
    mime: 'image/png',
    bytes: SAMPLE_FILE.byteLength,
    read: async () => SAMPLE_FILE,
  }));
}
