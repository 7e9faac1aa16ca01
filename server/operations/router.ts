import { adminProcedure, publicProcedure, router } from '#server/trpc/init.ts';
import { announce, readAnnouncements, withdrawAnnouncement } from './manage-announcements.ts';
import { pauseIntake, readPauses, resumeIntake } from './manage-pauses.ts';
import { readPolicies, resetPolicy, setPolicy } from './manage-policies.ts';
import { readAuditLog } from './read-audit-log.ts';
import { readSystem } from './read-system.ts';
import {
  announceInput,
  announcementIdInput,
  announcementsInput,
  auditLogInput,
  pauseInput,
  resetPolicyInput,
  resumeInput,
  setPolicyInput,
} from './schemas.ts';

/** What administrators steer while the product runs, and what they did. */
export const operationsRouter = router({
  /** What every page shows at its top, also to visitors. */
  banner: publicProcedure.query(({ ctx }) => ctx.deps.operations.banner()),

  pauses: adminProcedure.query(({ ctx }) => readPauses(ctx.deps)),

  pause: adminProcedure.input(pauseInput).mutation(async ({ ctx, input }) => {
    await pauseIntake(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  resume: adminProcedure.input(resumeInput).mutation(async ({ ctx, input }) => {
    await resumeIntake(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  announcements: adminProcedure
    .input(announcementsInput.optional())
    .query(({ ctx, input }) => readAnnouncements(ctx.deps, input ?? announcementsInput.parse({}))),

  announce: adminProcedure
    .input(announceInput)
    .mutation(({ ctx, input }) => announce(ctx.deps, { ...input, actorId: ctx.user.id })),

  withdrawAnnouncement: adminProcedure.input(announcementIdInput).mutation(async ({ ctx, input }) => {
    await withdrawAnnouncement(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  policies: adminProcedure.query(({ ctx }) => readPolicies(ctx.deps)),

  setPolicy: adminProcedure.input(setPolicyInput).mutation(async ({ ctx, input }) => {
    await setPolicy(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  resetPolicy: adminProcedure.input(resetPolicyInput).mutation(async ({ ctx, input }) => {
    await resetPolicy(ctx.deps, { ...input, actorId: ctx.user.id });
    return { ok: true };
  }),

  auditLog: adminProcedure
    .input(auditLogInput.optional())
    .query(({ ctx, input }) => readAuditLog(ctx.deps, input ?? auditLogInput.parse({}))),

  system: adminProcedure.query(({ ctx }) => readSystem(ctx.deps)),
});
