import { desc } from 'drizzle-orm';
import { auditLog } from '#server/db/schema/audit-log.ts';
import { modelCandidates, models, providerChannels, providerKeys } from '#server/db/schema/channels.ts';
import { createDueSignal } from '#server/lib/due-signal.ts';
import { newId } from '#server/lib/ids.ts';
import { createTestDatabase } from '#server/testing/database.ts';
import { createUser } from '#server/testing/factories.ts';
import type { Context, Identity } from '#server/trpc/context.ts';
import { createCallerFactory, router } from '#server/trpc/init.ts';
import type { ChannelAccess } from '../../provider.ts';
import { modelsRouter } from '../models-router.ts';
import { channelsRouter } from '../router.ts';
import { catalogueEntry } from '../schemas.ts';
import { createKeyRing } from '../secrets.ts';

const appRouter = router({ channels: channelsRouter, models: modelsRouter });

export const KEY = 'sk-first-0123456789abcd';
export const CHANNEL = { name: 'Main', baseUrl: 'https://api.example/v1/', apiKey: ` ${KEY}\n` };

/** The procedures of channels and models on a database of their own; only the upstream is not real. */
export async function createAdminRig() {
  const t = await createTestDatabase();
  const keyRing = createKeyRing('c3'.repeat(32));
  const { id: adminId } = await createUser(t.db, { role: 'admin' });
  const seen = { woken: 0, tested: [] as ChannelAccess[] };

  function callerOf(identity: Identity) {
    const due = createDueSignal();
    due.onWake(() => {
      seen.woken += 1;
    });
    const providers = {
      has: (protocol: string, endpoint: string) =>
        Object.hasOwn(catalogueEntry(protocol)?.endpoints ?? {}, endpoint),
      check: async (access: ChannelAccess) => {
        seen.tested.push(access);
        return { ok: true, message: 'It works.' };
      },
    };
    const config = { publicOrigin: 'https://sidelane.example' };
    const deps = { db: t.db, keyRing, newId, due, providers, config } as unknown as Context['deps'];
    return createCallerFactory(appRouter)({ deps, identity } as Context);
  }

  const user = (role: 'user' | 'admin', id = newId()): Identity => ({
    type: 'session',
    sessionId: 's',
    user: { id, email: 'someone@example.com', displayName: 'Someone', role },
  });

  return {
    t,
    keyRing,
    adminId,
    seen,
    callerOf,
    admin: callerOf(user('admin', adminId)),
    someone: callerOf(user('user')),
    /** Audit rows, the newest first. */
    audit: () => t.db.select().from(auditLog).orderBy(desc(auditLog.id)),
    async clear() {
      seen.woken = 0;
      seen.tested = [];
      await t.db.delete(modelCandidates);
      await t.db.delete(models);
      await t.db.delete(providerKeys);
      await t.db.delete(providerChannels);
    },
  };
}
