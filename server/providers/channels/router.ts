import { adminProcedure, router } from '#server/trpc/init.ts';
import { createChannel, replaceKey, testChannel, updateChannel } from './manage-channels.ts';
import { MODEL_TEMPLATES } from './model-templates.ts';
import { listChannels } from './queries.ts';
import { channelInput, createChannelInput, replaceKeyInput, updateChannelInput } from './schemas.ts';

/** Channels for administrators. No answer carries a key, only its last characters. */
export const channelsRouter = router({
  list: adminProcedure.query(({ ctx }) => listChannels(ctx.deps.db)),
  templates: adminProcedure.query(() => MODEL_TEMPLATES),
  create: adminProcedure
    .input(createChannelInput)
    .mutation(({ ctx, input }) => createChannel(ctx.deps, input)),
  update: adminProcedure
    .input(updateChannelInput)
    .mutation(({ ctx, input }) => updateChannel(ctx.deps, input)),
  replaceKey: adminProcedure.input(replaceKeyInput).mutation(({ ctx, input }) => replaceKey(ctx.deps, input)),
  test: adminProcedure
    .input(channelInput)
    .mutation(({ ctx, input }) => testChannel(ctx.deps, input.channelId)),
});
