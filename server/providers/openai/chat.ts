import type { ConversationAnswer } from '#server/generation/conversation/schemas.ts';
import { sendJsonCreate } from '../calls.ts';
import { readNegative, rejectedBy, uncertainAnswer } from '../error-envelope.ts';
import { textArtefacts, tokenUsage } from '../job-reading.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../json.ts';
import type { CallContext, CreateOutcome, CreateRequest } from '../provider.ts';
import { isImage, refuseReferences, toDataUri, wireParams } from '../request-params.ts';
import { apiUrl } from './client.ts';
import { answerArtefacts, readToolCalls } from './conversation-answer.ts';
import { chatMessages, chatTools } from './conversation-request.ts';
import { type ChatChoice, chatChoice, chatCompletion, parseEach } from './schemas.ts';

/**
 * `POST /chat/completions`, synchronous. A cut or filtered answer with text in it is delivered, and so is a call of a tool
 * whose arguments are cut.
 */
export async function createChat(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, isImage);
  if (refusal) return refusal;
  const sent = await sendJsonCreate(ctx, apiUrl(ctx.baseUrl, '/chat/completions'), {
    json: { model: request.model, ...(await promptFields(request)), stream: false },
  });
  if ('outcome' in sent) return sent.outcome;

  const { response, body } = sent;
  const answer = chatCompletion.parse(body);
  const choices = parseEach(asArray(answer.choices), chatChoice);
  const artefacts = request.conversation
    ? await answerArtefacts(conversationAnswerIn(choices), ctx)
    : await textArtefacts(choices.map(messageText), ctx);
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

/** What is said to the model, with its parameters. The instructions of a conversation are the only ones. */
async function promptFields(request: CreateRequest): Promise<Record<string, unknown>> {
  const images = await Promise.all(
    request.references.map(async (file) => ({
      type: 'image_url',
      image_url: { url: await toDataUri(file) },
    })),
  );
  const { conversation } = request;
  if (conversation) {
    return {
      ...wireParams(request.params, ['instructions', 'n']),
      messages: chatMessages(conversation, images),
      ...chatTools(conversation),
    };
  }
  const { instructions, ...params } = wireParams(request.params);
  const content = images.length === 0 ? request.prompt : [{ type: 'text', text: request.prompt }, ...images];
  return {
    messages: [
      ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
      { role: 'user', content },
    ],
    ...params,
  };
}

/**
 * One answer, whatever the number of choices: some gateways put the text into one and the calls into another, and calls
 * of two alternatives would be paid for twice.
 */
function conversationAnswerIn(choices: readonly ChatChoice[]): ConversationAnswer {
  const callsOf = ({ message }: ChatChoice) => {
    const calls = readToolCalls(asArray(message?.tool_calls));
    return calls.length > 0 ? calls : readToolCalls([message?.function_call]);
  };
  return {
    text: choices.map(messageText).find((text) => text.trim() !== '') ?? '',
    toolCalls: choices.map(callsOf).find((calls) => calls.length > 0) ?? [],
  };
}

/** Text, or the text parts of a list of parts. */
function messageText({ message }: ChatChoice): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  return asArray(content)
    .map((part) => asRecord(part))
    .map((part: JsonRecord | undefined) =>
      part?.type === 'text' || part?.type === 'output_text' ? (asText(part.text) ?? '') : '',
    )
    .join('');
}
