import { checkBy, getJob, sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { failedOutcome } from '../job-reading.ts';
import { asNumber } from '../json.ts';
import type { CallContext, CreateOutcome, CreateRequest, ProviderAdapter } from '../provider.ts';
import { readStatusWord } from '../status-words.ts';
import { readUnsignedWebhook } from '../unsigned-webhook.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { apiUrl, createUrl, generationBody, generationUrl } from './client.ts';
import { lookupGeneration } from './lookup.ts';
import { readGeneration } from './mapping.ts';

/**
 * Luma's Dream Machine (vendor documentation of the Dream Machine API). `DELETE /generations/{id}` removes a generation
 * and its result, which is no cancel: nothing says that it stops the work, and a finished result would be lost.
 */
export const lumaAdapter: ProviderAdapter = {
  protocol: 'luma',
  endpoints: {
    video: { kind: 'video', cancellable: false, reports: true },
    image: { kind: 'image', cancellable: false, reports: true },
  },
  canLookup: true,

  credentials: (apiKey): Record<string, string> =>
    apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },

  create: async (request, ctx) => refuseFiles(request) ?? createGeneration(request, ctx),

  takesFile: () => false,

  async poll(ref, ctx) {
    const polled = await getJob(ctx, generationUrl(ctx.baseUrl, ref.id), {
      verdictOf: (body) => {
        const status = readStatusWord(body.state);
        return status.meaning === 'failed' ? failedOutcome(body, status) : undefined;
      },
    });
    return 'outcome' in polled ? polled.outcome : readGeneration(polled.body, ref.endpoint, polled.response);
  },

  lookup: lookupGeneration,

  /** A callback posts the generation, unsigned and on each change of its state. */
  readWebhook: async (request) =>
    readUnsignedWebhook(request, (body) => ({ upstreamId: body.id, status: body.state })),

  check: (ctx) =>
    checkBy(
      ctx,
      { url: apiUrl(ctx.baseUrl, '/credits') },
      {
        title: "Luma's Dream Machine API",
        proves(body) {
          const cents = asNumber(body.credit_balance);
          return cents === undefined
            ? undefined
            : `It works: the key is accepted and ${(cents / 100).toFixed(2)} US dollars are left.`;
        },
      },
    ),
};

/** Luma fetches images from public addresses and takes no bytes. */
function refuseFiles(request: CreateRequest): CreateOutcome | undefined {
  const [file] = request.references;
  if (!file) return undefined;
  const message = `This service takes no uploaded files, so it cannot use "${file.fileName}". Remove the file or choose another model.`;
  return { type: 'rejected', code: 'unsupported_reference', message };
}

async function createGeneration(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const sent = await sendJsonCreate(ctx, createUrl(ctx.baseUrl, request.endpoint), {
    json: generationBody(request, ctx.webhookUrl),
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const id = readUpstreamId(body.id);
  if (id !== undefined) {
    return { type: 'accepted', upstreamId: id, pollRef: { id, endpoint: request.endpoint }, raw: body };
  }
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_id');
}
