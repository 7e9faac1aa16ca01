import { adminProcedure, router } from '#server/trpc/init.ts';
import {
  createChannel,
  pauseByOperator,
  resumeByOperator,
  switchByOperator,
  updateChannel,
} from './manage-channels.ts';
import { replaceKey, revealKey, testChannel } from './manage-keys.ts';
import { MODEL_TEMPLATES } from './model-templates.ts';
import { readChannels } from './read-channels.ts';
import {
  channelInput,
  createChannelInput,
  pauseChannelInput,
  replaceKeyInput,
  resumeChannelInput,
  revealKeyInput,
  switchChannelInput,
  updateChannelInput,
} from './schemas.ts';

/** Channels for administrators. Only `revealKey` answers a key; every other answer carries its last characters. */
export const channelsRouter = router({
  list: adminProcedure.query(({ ctx }) => readChannels(ctx.deps)),
  templates: adminProcedure.query(() => MODEL_TEMPLATES),
  create: adminProcedure
    .input(createChannelInput)
    .mutation(({ ctx, input }) => createChannel(ctx.deps, { ...input, actorId: ctx.user.id })),
  update: adminProcedure
    .input(updateChannelInput)
    .mutation(({ ctx, input }) => updateChannel(ctx.deps, { ...input, actorId: ctx.user.id })),
  replaceKey: adminProcedure
    .input(replaceKeyInput)
    .mutation(({ ctx, input }) => replaceKey(ctx.deps, { ...input, actorId: ctx.user.id })),
  revealKey: adminProcedure
    .input(revealKeyInput)
    .mutation(({ ctx, input }) => revealKey(ctx.deps, { ...input, actorId: ctx.user.id })),
  switch: adminProcedure
    .input(switchChannelInput)
    .mutation(({ ctx, input }) => switchByOperator(ctx.deps, { ...input, actorId: ctx.user.id })),
  pause: adminProcedure
    .input(pauseChannelInput)
    .mutation(({ ctx, input }) => pauseByOperator(ctx.deps, { ...input, actorId: ctx.user.id })),
  resume: adminProcedure
    .input(resumeChannelInput)
    .mutation(({ ctx, input }) => resumeByOperator(ctx.deps, { ...input, actorId: ctx.user.id })),
  test: adminProcedure
    .input(channelInput)
    .mutation(({ ctx, input }) => testChannel(ctx.deps, { ...input, actorId: ctx.user.id })),
});
