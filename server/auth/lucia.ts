import { DrizzlePostgreSQLAdapter } from '@lucia-auth/adapter-drizzle';
import { Lucia, TimeSpan } from 'lucia';
import { sessions, users } from '#server/db/schema/users.ts';
import type { Deps } from '#server/deps.ts';

const SESSION_COOKIE = 'sidelane_session';
const SESSION_DAYS = 30;

type UserAttributes = {
  email: string;
  displayName: string;
  role: 'user' | 'admin';
  language: 'en' | 'zh-CN' | null;
  timeZone: string | null;
  disabledAt: Date | null;
};
type SessionAttributes = { userAgent: string | null };

function build(deps: Pick<Deps, 'db' | 'config'>) {
  return new Lucia(new DrizzlePostgreSQLAdapter(deps.db, sessions, users), {
    sessionExpiresIn: new TimeSpan(SESSION_DAYS, 'd'),
    sessionCookie: {
      name: SESSION_COOKIE,
      attributes: { secure: deps.config.secureCookies, sameSite: 'lax', path: '/' },
    },
    // The adapter reads whole rows; only what is named here leaves this folder.
    getUserAttributes: ({ email, displayName, role, language, timeZone, disabledAt }) => ({
      email,
      displayName,
      role,
      language,
      timeZone,
      disabledAt,
    }),
    getSessionAttributes: ({ userAgent }) => ({ userAgent }),
  });
}

declare module 'lucia' {
  interface Register {
    Lucia: ReturnType<typeof build>;
    DatabaseUserAttributes: UserAttributes;
    DatabaseSessionAttributes: SessionAttributes;
  }
}

const instances = new WeakMap<object, ReturnType<typeof build>>();

/** Lucia over this process' pool; one instance per `deps`. */
export function luciaOf(deps: Pick<Deps, 'db' | 'config'>): ReturnType<typeof build> {
  const known = instances.get(deps);
  if (known) return known;
  const made = build(deps);
  instances.set(deps, made);
  return made;
}
