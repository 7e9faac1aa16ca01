import { sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { textArtefacts, tokenUsage } from '../job-reading.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../json.ts';
import type { CallContext, CreateOutcome, CreateRequest } from '../provider.ts';
import { isImage, refuseReferences, toDataUri, wireParams } from '../request-params.ts';
import { apiUrl } from './client.ts';
import { chatChoice, chatCompletion, parseEach } from './schemas.ts';

/** `POST /chat/completions`, synchronous. A cut or filtered answer with text in it is delivered. */
export async function createChat(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const { instructions, ...params } = wireParams(request.params);
  const sent = await sendJsonCreate(ctx, apiUrl(ctx.baseUrl, '/chat/completions'), {
    json: {
      model: request.model,
      messages: [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
        { role: 'user', content: await contentOf(request) },
      ],
      ...params,
      stream: false,
    },
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const answer = chatCompletion.parse(body);
  const choices = parseEach(asArray(answer.choices), chatChoice);
  const artefacts = await textArtefacts(
    choices.map((choice) => messageText(choice.message?.content)),
    ctx,
  );
  if (artefacts.length > 0) return { type: 'done', artefacts, usage: tokenUsage(answer.usage), raw: body };

  const refused = choices.map((choice) => choice.message?.refusal).find((text) => text);
  const isFiltered = choices.some((choice) => choice.finish_reason === 'content_filter');
  if (refused || isFiltered) {
    const message = refused ?? 'The answer was withheld by the content filter of the upstream.';
    return {
      type: 'rejected',
      code: isFiltered ? 'content_filter' : 'refused',
      message,
      moderated: true,
      raw: body,
    };
  }
  const negative = readNegative(body);
  return negative ? rejectedBy(negative, response, body) : uncertainAnswer(response, 'no_text');
}

async function contentOf(request: CreateRequest): Promise<unknown> {
  if (request.references.length === 0) return request.prompt;
  const images = await Promise.all(
    request.references.map(async (file) => ({
      type: 'image_url',
      image_url: { url: await toDataUri(file) },
    })),
  );
  return [{ type: 'text', text: request.prompt }, ...images];
}

/** Text, or the text parts of a list of parts. */
function messageText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asArray(content)
    .map((part) => asRecord(part))
    .map((part: JsonRecord | undefined) =>
      part?.type === 'text' || part?.type === 'output_text' ? (asText(part.text) ?? '') : '',
    )
    .join('');
}
