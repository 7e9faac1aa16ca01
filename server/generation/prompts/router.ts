import { adminProcedure, router, userProcedure } from '#server/trpc/init.ts';
import { improvePrompt, readImproveOptions } from './improve-prompt.ts';
import {
  addHouseTemplates,
  changeHouseTemplate,
  readHouseTemplates,
  removeHouseTemplate,
} from './manage-house.ts';
import { readPresets, removePreset, savePreset } from './manage-presets.ts';
import { readTemplates, removeTemplate, renameOwnTemplate, saveTemplate } from './manage-templates.ts';
import { readHistory } from './read-history.ts';
import { readPrefill } from './read-prefill.ts';
import {
  addHouseTemplatesInput,
  changeHouseTemplateInput,
  historyInput,
  improveInput,
  improveOptionsInput,
  itemInput,
  prefillInput,
  presetsInput,
  renameTemplateInput,
  savePresetInput,
  saveTemplateInput,
  templatesInput,
} from './schemas.ts';

const submits = userProcedure.meta({ audience: 'user', scope: 'submit' });

/** What helps to write an order. */
export const promptsRouter = router({
  prefill: userProcedure
    .input(prefillInput)
    .query(({ ctx, input }) => readPrefill(ctx.deps, { ...input, userId: ctx.user.id })),

  history: userProcedure
    .input(historyInput)
    .query(({ ctx, input }) => readHistory(ctx.deps, { ...input, userId: ctx.user.id })),

  templates: userProcedure
    .input(templatesInput)
    .query(({ ctx, input }) => readTemplates(ctx.deps, { ...input, userId: ctx.user.id })),

  saveTemplate: userProcedure
    .input(saveTemplateInput)
    .mutation(({ ctx, input }) => saveTemplate(ctx.deps, { ...input, userId: ctx.user.id })),

  renameTemplate: userProcedure
    .input(renameTemplateInput)
    .mutation(({ ctx, input }) => renameOwnTemplate(ctx.deps, { ...input, userId: ctx.user.id })),

  removeTemplate: userProcedure
    .input(itemInput)
    .mutation(({ ctx, input }) => removeTemplate(ctx.deps, { ...input, userId: ctx.user.id })),

  /** What everybody is offered to start from, for administrators. */
  house: router({
    list: adminProcedure.query(({ ctx }) => readHouseTemplates(ctx.deps)),

    add: adminProcedure
      .input(addHouseTemplatesInput)
      .mutation(({ ctx, input }) => addHouseTemplates(ctx.deps, { ...input, actorId: ctx.user.id })),

    change: adminProcedure
      .input(changeHouseTemplateInput)
      .mutation(({ ctx, input }) => changeHouseTemplate(ctx.deps, { ...input, actorId: ctx.user.id })),

    remove: adminProcedure
      .input(itemInput)
      .mutation(({ ctx, input }) => removeHouseTemplate(ctx.deps, { ...input, actorId: ctx.user.id })),
  }),

  presets: userProcedure
    .input(presetsInput)
    .query(({ ctx, input }) => readPresets(ctx.deps, { ...input, userId: ctx.user.id })),

  savePreset: userProcedure
    .input(savePresetInput)
    .mutation(({ ctx, input }) => savePreset(ctx.deps, { ...input, userId: ctx.user.id })),

  removePreset: userProcedure
    .input(itemInput)
    .mutation(({ ctx, input }) => removePreset(ctx.deps, { ...input, userId: ctx.user.id })),

  improveOptions: userProcedure
    .input(improveOptionsInput)
    .query(({ ctx, input }) => readImproveOptions(ctx.deps, input)),

  improve: submits.input(improveInput).mutation(async ({ ctx, input }) => {
    const submitted = await improvePrompt(ctx.deps, { ...input, userId: ctx.user.id });
    if (submitted.created) ctx.executor.kick([submitted.taskId]);
    return submitted;
  }),
});
