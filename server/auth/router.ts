import { publicProcedure, router, userProcedure } from '#server/trpc/init.ts';
import { createApiToken, revokeApiToken, viewApiTokens } from './api-tokens.ts';
import { changePassword } from './change-password.ts';
import { saveProfile } from './save-profile.ts';
import {
  changePasswordInput,
  createTokenInput,
  profileInput,
  sessionIdInput,
  setLanguageInput,
  signInInput,
  signUpInput,
  tokenIdInput,
} from './schemas.ts';
import { closeSession, openSession, revokeOtherSessions, revokeSession, viewSessions } from './sessions.ts';
import { signIn } from './sign-in.ts';
import { type InviteBinding, signUp } from './sign-up.ts';

export const createAuthRouter = (invites: InviteBinding) =>
  router({
    /** Who is signed in; null for nobody. */
    me: publicProcedure.query(({ ctx }) =>
      ctx.identity.type === 'session' || ctx.identity.type === 'api-token' ? ctx.identity.user : null,
    ),

    signUp: publicProcedure.input(signUpInput).mutation(async ({ ctx, input }) => {
      await ctx.limits?.consume('sign-up', ctx.clientAddress);
      const user = await signUp(ctx.deps, invites, input);
      const { cookie } = await openSession(ctx.deps, { userId: user.id, userAgent: ctx.userAgent });
      ctx.setCookie(cookie);
      return user;
    }),

    signIn: publicProcedure.input(signInInput).mutation(async ({ ctx, input }) => {
      const { clientAddress, limits, userAgent } = ctx;
      const user = await signIn(ctx.deps, { ...input, clientAddress, limits });
      if (ctx.identity.type === 'session') await closeSession(ctx.deps, ctx.identity.sessionId);
      const { cookie } = await openSession(ctx.deps, { userId: user.id, userAgent });
      ctx.setCookie(cookie);
      return user;
    }),

    /** Fine to call when nobody is signed in. */
    signOut: publicProcedure.mutation(async ({ ctx }) => {
      const sessionId = ctx.identity.type === 'session' ? ctx.identity.sessionId : undefined;
      const { cookie } = await closeSession(ctx.deps, sessionId);
      ctx.setCookie(cookie);
      return { signedOut: true };
    }),

    saveProfile: userProcedure
      .input(profileInput)
      .mutation(({ ctx, input }) => saveProfile(ctx.deps, { userId: ctx.user.id, values: input })),

    setLanguage: userProcedure
      .input(setLanguageInput)
      .mutation(({ ctx, input }) => saveProfile(ctx.deps, { userId: ctx.user.id, values: input })),

    /** Ends every other session. */
    changePassword: userProcedure.input(changePasswordInput).mutation(({ ctx, input }) =>
      changePassword(ctx.deps, {
        ...input,
        userId: ctx.user.id,
        currentId: ctx.sessionId,
        limits: ctx.limits,
      }),
    ),

    sessions: router({
      list: userProcedure.query(({ ctx }) =>
        viewSessions(ctx.deps, { userId: ctx.user.id, currentId: ctx.sessionId }),
      ),
      revoke: userProcedure.input(sessionIdInput).mutation(async ({ ctx, input }) => {
        await revokeSession(ctx.deps, { userId: ctx.user.id, sessionId: input.sessionId });
        return { revoked: 1 };
      }),
      revokeOthers: userProcedure.mutation(async ({ ctx }) => ({
        revoked: await revokeOtherSessions(ctx.deps, { userId: ctx.user.id, currentId: ctx.sessionId }),
      })),
    }),

    tokens: router({
      list: userProcedure.query(({ ctx }) => viewApiTokens(ctx.deps, ctx.user.id)),
      /** `secret` is shown this once. */
      create: userProcedure
        .input(createTokenInput)
        .mutation(({ ctx, input }) => createApiToken(ctx.deps, { ...input, userId: ctx.user.id })),
      revoke: userProcedure.input(tokenIdInput).mutation(async ({ ctx, input }) => {
        await revokeApiToken(ctx.deps, { userId: ctx.user.id, tokenId: input.tokenId });
        return { revoked: 1 };
      }),
    }),
  });
