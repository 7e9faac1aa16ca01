import { z } from 'zod';

/** The parts of Google's answers that we read; a field of a wrong type counts as absent. */
const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);
const list = z.array(z.unknown()).optional().catch(undefined);
const record = z.looseObject({}).optional().catch(undefined);

/** `POST …:generateContent`. */
export const contentAnswer = z.looseObject({
  candidates: list,
  promptFeedback: z.looseObject({ blockReason: text, blockReasonMessage: text }).optional().catch(undefined),
  usageMetadata: z
    .looseObject({ promptTokenCount: count, candidatesTokenCount: count, thoughtsTokenCount: count })
    .optional()
    .catch(undefined),
});
export type ContentAnswer = z.infer<typeof contentAnswer>;

export const candidate = z.looseObject({
  content: z.looseObject({ parts: list }).optional().catch(undefined),
  finishReason: text,
  finishMessage: text,
});

export const contentPart = z.looseObject({
  text,
  /** A sketch of a model that thinks in pictures; not a result. */
  thought: z.boolean().optional().catch(undefined),
  inlineData: z.looseObject({ mimeType: text, data: text }).optional().catch(undefined),
});

/** `GET /{operation name}`. `done` is left out while the operation runs. */
export const operation = z.looseObject({
  name: text,
  done: z.unknown().optional(),
  error: record,
  response: record,
});

/** `response.generateVideoResponse` of an operation. */
export const videoResponse = z.looseObject({
  generatedSamples: list,
  raiMediaFilteredCount: count,
  raiMediaFilteredReasons: list,
});

export const videoSample = z.looseObject({
  video: z
    .looseObject({ uri: text, encodedVideo: text, bytesBase64Encoded: text, encoding: text, mimeType: text })
    .optional()
    .catch(undefined),
});
