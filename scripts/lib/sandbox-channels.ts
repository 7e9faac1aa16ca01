import { type CreateChannelInput, createChannelInput } from '#server/providers/channels/schemas.ts';
import { FAL_MODELS, NEWAPI_MODELS, OPENAI_MODELS, REPLICATE_MODELS } from './sandbox-models.ts';

type SandboxChannel = { channel: CreateChannelInput; models: typeof OPENAI_MODELS };

/**
 * Channels over a running sandbox, one per vendor that it plays, with their models. Its webhook keys are made anew at
 * every start, so the secret is read here.
 *
 * @param key that the sandbox accepts
 * @throws Error when the sandbox does not answer
 */
export async function sandboxChannels(sandboxUrl: string, key: string): Promise<SandboxChannel[]> {
  const common = { apiKey: key, maxInFlight: 100 };
  return [
    {
      channel: createChannelInput.parse({
        ...common,
        name: 'Sandbox',
        protocol: 'openai',
        baseUrl: `${sandboxUrl}/v1`,
      }),
      models: OPENAI_MODELS,
    },
    {
      channel: createChannelInput.parse({
        ...common,
        name: 'Sandbox New API',
        protocol: 'newapi',
        baseUrl: `${sandboxUrl}/newapi/v1`,
      }),
      models: NEWAPI_MODELS,
    },
    {
      channel: createChannelInput.parse({
        ...common,
        name: 'Sandbox Replicate',
        protocol: 'replicate',
        baseUrl: `${sandboxUrl}/replicate/v1`,
        webhookSecret: await readWebhookSecret(sandboxUrl, key),
        // Slow on purpose: what ends sooner was brought on by a webhook.
        pollPace: { firstMs: 20_000, capMs: 60_000 },
      }),
      models: REPLICATE_MODELS,
    },
    {
      channel: createChannelInput.parse({
        ...common,
        name: 'Sandbox fal',
        protocol: 'fal',
        baseUrl: `${sandboxUrl}/fal`,
        apiKey: `sandbox:${key}`,
        settings: { jwksUrl: `${sandboxUrl}/fal/.well-known/jwks.json` },
      }),
      models: FAL_MODELS,
    },
  ];
}

async function readWebhookSecret(sandboxUrl: string, key: string): Promise<string> {
  const response = await fetch(`${sandboxUrl}/replicate/v1/webhooks/default/secret`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok)
    throw new Error(`The sandbox answered ${response.status} when asked for its webhook key.`);
  return ((await response.json()) as { key: string }).key;
}
