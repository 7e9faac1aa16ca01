import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '#app/locales/languages.ts';
import { startTestApp, type TestApp } from '#server/http/test-app.ts';
import { cookieOf, procedureCaller } from '#server/http/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { type ApiTokenView, type SessionView, setLanguageInput } from './schemas.ts';

const PASSWORD = 'a quiet long password';
let t: TestDatabase;
let app: TestApp;
let call: ReturnType<typeof procedureCaller>;
let people = 0;

beforeAll(async () => {
  t = await createTestDatabase();
  app = await startTestApp(t, { limits: wide() });
  call = procedureCaller(app.url);
});
afterAll(async () => {
  await app.close();
  await t.close();
});

/** All tests come from one address. */
function wide() {
  const limit = { points: 10_000, seconds: 60, message: 'Too many.', withoutStore: 'refuse' as const };
  return { 'sign-in-pair': limit, 'sign-in-address': limit, 'sign-up': limit };
}

async function signUp() {
  people += 1;
  const name = `person-${people}`;
  const email = `${name}@example.com`;
  const answer = await call.mutate<{ id: string }>('auth.signUp', {
    email,
    displayName: 'Ada',
    password: PASSWORD,
  });
  return { email, answer, cookie: cookieOf(answer), id: answer.data?.id ?? '' };
}

describe('sign-up', () => {
  it('opens an account with starting credits and a session', async () => {
    const { id, answer, cookie, email } = await signUp();
    expect(answer.status).toBe(200);
    expect((await call.query('auth.me', { cookie })).data).toEqual({
      id,
      email,
      displayName: 'Ada',
      role: 'user',
      language: null,
      timeZone: null,
    });
    const [account] =
      await t.sql`select balance_credits::int as balance from credit_accounts where user_id = ${id}`;
    expect(account?.balance).toBe(100);
    const ledger =
      await t.sql`select kind, delta_credits::int as delta, key from credit_ledger where user_id = ${id}`;
    expect([...ledger]).toEqual([{ kind: 'grant', delta: 100, key: `sign-up:${id}` }]);
  });

  it('normalises the address and refuses a second account with a clear sentence', async () => {
    const { email } = await signUp();
    const again = await call.mutate('auth.signUp', {
      email: ` ${email.toUpperCase()} `,
      displayName: 'Eve',
      password: PASSWORD,
    });
    expect(again.status).toBe(409);
    expect(again.error?.message).toContain('There is an account with this e-mail address already.');
    expect(again.error?.data.field).toBe('email');
    expect(cookieOf(again)).toBe('');
  });

  it('leaves no account behind when two sign up at once with one address', async () => {
    const input = { email: 'twins@example.com', displayName: 'Twin', password: PASSWORD };
    const answers = await Promise.all([1, 2, 3].map(() => call.mutate('auth.signUp', input)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
    const accounts =
      await t.sql`select 1 from credit_accounts a join users u on u.id = a.user_id where u.email = ${input.email}`;
    expect(accounts).toHaveLength(1);
  });

  it.each([
    [{ email: 'no-address' }, 'email: Enter an e-mail address such as name@example.com.'],
    [{ password: 'short' }, 'password: A password has at least 10 characters.'],
    [{ displayName: '  ' }, 'displayName: Enter a name.'],
  ])('refuses %o with a sentence that names the fix', async (change, message) => {
    const input = { email: 'fields@example.com', displayName: 'Ada', password: PASSWORD, ...change };
    const answer = await call.mutate('auth.signUp', input);
    expect([answer.status, answer.error?.message]).toEqual([400, message]);
  });

  it('can be closed', async () => {
    const closed = await startTestApp(t, { config: { signUpOpen: false }, limits: wide() });
    const answer = await procedureCaller(closed.url).mutate('auth.signUp', {
      email: 'late@example.com',
      displayName: 'Late',
      password: PASSWORD,
    });
    await closed.close();
    expect([answer.status, answer.error?.message]).toEqual([
      403,
      'Sign-up is closed. Ask an administrator for an account.',
    ]);
  });
});

describe('sign-in', () => {
  it('gives unknown user, wrong password and disabled user the same answer, byte for byte', async () => {
    const { email } = await signUp();
    const disabled = await signUp();
    await t.sql`update users set disabled_at = now() where id = ${disabled.id}`;
    const tries = [
      { email: 'nobody@example.com', password: PASSWORD },
      { email, password: 'not the password' },
      { email: disabled.email, password: PASSWORD },
    ];
    const answers = [];
    for (const input of tries) answers.push(await call.mutate('auth.signIn', input));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.error?.message).toBe('E-mail or password is wrong.');
  });

  it('always opens a new session, and ends the one it replaces', async () => {
    const { email, cookie } = await signUp();
    const answer = await call.mutate('auth.signIn', { email, password: PASSWORD }, { cookie });
    expect(answer.status).toBe(200);
    expect(cookieOf(answer)).not.toBe(cookie);
    expect((await call.query('auth.me', { cookie })).data).toBeNull();
    expect((await call.query('auth.me', { cookie: cookieOf(answer) })).data).toMatchObject({ email });
  });

  it('sets a cookie that scripts and other sites do not get, marked Secure behind https', async () => {
    const { email, answer } = await signUp();
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^sidelane_session=[\w-]{43}; HttpOnly; Max-Age=2592000; Path=\/; SameSite=Lax$/,
    );
    const secure = await startTestApp(t, {
      limits: wide(),
      config: { publicOrigin: 'https://lane.example', secureCookies: true },
    });
    const signedIn = await procedureCaller(secure.url).mutate('auth.signIn', { email, password: PASSWORD });
    await secure.close();
    expect(signedIn.headers.getSetCookie()[0]).toContain('Secure');
  });
});

describe('sessions', () => {
  it('keeps only a digest of the cookie', async () => {
    const { cookie, id } = await signUp();
    const secret = cookie.split('=')[1] ?? '';
    const [row] = await t.sql`select id from sessions where user_id = ${id}`;
    expect(row?.id).toBe(createHash('sha256').update(secret).digest('hex'));
    expect((await call.query('auth.me', { cookie: `sidelane_session=${row?.id}` })).data).toBeNull();
  });

  it('ends when its time is over, with a sentence that says so', async () => {
    const { cookie, id } = await signUp();
    await t.sql`update sessions set expires_at = now() - interval '1 second' where user_id = ${id}`;
    const answer = await call.query('auth.sessions.list', { cookie });
    expect([answer.status, answer.error?.message]).toEqual([401, 'Your session has ended. Sign in again.']);
    expect(await t.sql`select 1 from sessions where user_id = ${id}`).toHaveLength(0);
  });

  it('is extended past half of its time, and the browser gets the cookie again', async () => {
    const { cookie, id } = await signUp();
    await t.sql`update sessions set expires_at = now() + interval '10 days' where user_id = ${id}`;
    const answer = await call.query('auth.me', { cookie });
    expect(cookieOf(answer)).toBe(cookie);
    const [row] =
      await t.sql`select expires_at > now() + interval '29 days' as extended from sessions where user_id = ${id}`;
    expect(row?.extended).toBe(true);
    expect(cookieOf(await call.query('auth.me', { cookie }))).toBe('');
  });

  it('can be listed and ended one by one, or all others at once', async () => {
    const { email, cookie } = await signUp();
    const others = [];
    for (const agent of ['phone', 'tablet', 'desk']) {
      const headers = { 'user-agent': agent };
      others.push(cookieOf(await call.mutate('auth.signIn', { email, password: PASSWORD }, { headers })));
    }
    const list = await call.query<SessionView[]>('auth.sessions.list', { cookie });
    expect(list.data).toHaveLength(4);
    expect(list.data?.filter((session) => session.current)).toHaveLength(1);
    const phone = list.data?.find((session) => session.userAgent === 'phone');

    const revoked = await call.mutate('auth.sessions.revoke', { sessionId: phone?.id }, { cookie });
    expect(revoked.status).toBe(200);
    expect((await call.query('auth.me', { cookie: others[0] })).data).toBeNull();
    expect((await call.query('auth.me', { cookie: others[1] })).data).toBeDefined();

    const rest = await call.mutate('auth.sessions.revokeOthers', undefined, { cookie });
    expect(rest.data).toEqual({ revoked: 2 });
    expect((await call.query('auth.me', { cookie: others[2] })).data).toBeNull();
    expect((await call.query('auth.me', { cookie })).data).toBeDefined();
  });

  it("cannot end another user's session", async () => {
    const victim = await signUp();
    const eve = await signUp();
    const [row] = await t.sql`select id from sessions where user_id = ${victim.id}`;
    const answer = await call.mutate('auth.sessions.revoke', { sessionId: row?.id }, { cookie: eve.cookie });
    expect(answer.status).toBe(404);
    expect((await call.query('auth.me', { cookie: victim.cookie })).data).toBeDefined();
  });

  it('stops when its user is disabled', async () => {
    const { cookie, id } = await signUp();
    await t.sql`update users set disabled_at = now() where id = ${id}`;
    expect((await call.query('auth.me', { cookie })).data).toBeNull();
    expect((await call.query('auth.sessions.list', { cookie })).status).toBe(401);
  });

  it('ends at sign-out, which also takes the cookie away; signing out twice is fine', async () => {
    const { cookie, id } = await signUp();
    for (let round = 0; round < 2; round += 1) {
      const answer = await call.mutate('auth.signOut', undefined, { cookie });
      expect(answer.status).toBe(200);
      expect(answer.headers.getSetCookie().at(-1)).toMatch(/^sidelane_session=; .*Max-Age=0/);
    }
    expect(await t.sql`select 1 from sessions where user_id = ${id}`).toHaveLength(0);
  });
});

describe('API tokens', () => {
  async function createToken(cookie: string, scopes: string[]) {
    const answer = await call.mutate<{ secret: string; token: ApiTokenView }>(
      'auth.tokens.create',
      { name: 'robot', scopes },
      { cookie },
    );
    if (!answer.data) throw new Error(answer.text);
    return answer.data;
  }

  it('shows the secret once and keeps a digest', async () => {
    const { cookie, id } = await signUp();
    const { secret, token } = await createToken(cookie, ['read', 'submit']);
    expect(secret).toMatch(/^sdl_[\w-]{43}$/);
    const [row] = await t.sql`select * from api_tokens where user_id = ${id}`;
    expect(row?.token_hash).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(secret);
    const list = await call.query<ApiTokenView[]>('auth.tokens.list', { cookie });
    expect(list.data).toEqual([{ ...token, lastUsedAt: null }]);
    expect(list.text).not.toContain(secret);
    expect(app.log.join('\n')).not.toContain(secret);
  });

  it('opens what its scopes say and nothing of the account', async () => {
    const { cookie, email } = await signUp();
    const reader = await createToken(cookie, ['read']);
    const canceller = await createToken(cookie, ['cancel']);
    expect((await call.query('auth.me', { token: reader.secret })).data).toMatchObject({ email });
    expect((await call.query('billing.balance', { token: reader.secret })).status).toBe(200);
    const scopeless = await call.query('billing.balance', { token: canceller.secret });
    expect([scopeless.status, scopeless.error?.message]).toEqual([
      403,
      'This token lacks the scope "read". Make one that has it in Settings.',
    ]);
    const account = await call.mutate(
      'auth.tokens.create',
      { name: 'more', scopes: ['read'] },
      { token: reader.secret },
    );
    expect([account.status, account.error?.message]).toEqual([
      403,
      'This is for signed-in people, not for API tokens.',
    ]);
  });

  it('notes its use at most once a minute', async () => {
    const { cookie, id } = await signUp();
    const { secret } = await createToken(cookie, ['read']);
    const used = async () =>
      (await t.sql`select last_used_at as at from api_tokens where user_id = ${id}`)[0]?.at;
    await call.query('auth.me', { token: secret });
    const first = await used();
    expect(first).toBeTruthy();
    await call.query('auth.me', { token: secret });
    expect(await used()).toEqual(first);
    await t.sql`update api_tokens set last_used_at = last_used_at - interval '2 minutes' where user_id = ${id}`;
    await call.query('auth.me', { token: secret });
    expect(new Date(await used()).getTime()).toBeGreaterThanOrEqual(new Date(first).getTime());
  });

  it.each(['sdl_short', `sdl_${'x'.repeat(43)}`, 'anything-else', ''])(
    'refuses the bearer "%s" in one sentence',
    async (token) => {
      const { cookie } = await signUp();
      const headers = { authorization: `Bearer ${token}` };
      for (const options of [{ headers }, { headers, cookie }]) {
        const answer = await call.query('billing.balance', options);
        expect([answer.status, answer.error?.message]).toEqual([
          401,
          'The API token is not valid or was revoked.',
        ]);
      }
    },
  );

  it('stops when revoked, and when its owner is disabled; a stranger cannot revoke it', async () => {
    const owner = await signUp();
    const eve = await signUp();
    const first = await createToken(owner.cookie, ['read']);
    const second = await createToken(owner.cookie, ['read']);
    const foreign = await call.mutate(
      'auth.tokens.revoke',
      { tokenId: first.token.id },
      { cookie: eve.cookie },
    );
    expect(foreign.status).toBe(404);
    expect((await call.query('billing.balance', { token: first.secret })).status).toBe(200);

    await call.mutate('auth.tokens.revoke', { tokenId: first.token.id }, { cookie: owner.cookie });
    expect((await call.query('billing.balance', { token: first.secret })).status).toBe(401);
    await t.sql`update users set disabled_at = now() where id = ${owner.id}`;
    expect((await call.query('billing.balance', { token: second.secret })).status).toBe(401);
  });
});

describe('password', () => {
  const NEXT = 'another quiet password';
  const change = (cookie: string, input: object) => call.mutate('auth.changePassword', input, { cookie });

  it('is changed with the old one, ends every other session, and lets in with the new one alone', async () => {
    const { email, cookie, id } = await signUp();
    const other = cookieOf(await call.mutate('auth.signIn', { email, password: PASSWORD }));
    const hashOf = async () =>
      (await t.sql`select password_hash as hash from users where id = ${id}`)[0]?.hash;
    const before = await hashOf();

    const wrong = await change(cookie, { password: 'not the password', newPassword: NEXT });
    expect([wrong.status, wrong.error?.message, wrong.error?.data.field]).toEqual([
      400,
      'The password is wrong.',
      'password',
    ]);
    const same = await change(cookie, { password: PASSWORD, newPassword: PASSWORD });
    expect([same.status, same.error?.data.field]).toEqual([400, 'newPassword']);
    const short = await change(cookie, { password: PASSWORD, newPassword: 'short' });
    expect(short.status).toBe(400);
    expect(await hashOf()).toBe(before);
    expect((await call.query('auth.me', { cookie: other })).data).not.toBeNull();

    const changed = await change(cookie, { password: PASSWORD, newPassword: NEXT });
    expect([changed.status, changed.data]).toEqual([200, { endedSessions: 1 }]);
    expect((await call.query('auth.me', { cookie })).data).toMatchObject({ email });
    expect((await call.query('auth.me', { cookie: other })).data).toBeNull();
    expect((await call.mutate('auth.signIn', { email, password: PASSWORD })).status).toBe(401);
    expect((await call.mutate('auth.signIn', { email, password: NEXT })).status).toBe(200);
    expect(app.log.join('\n')).not.toContain(NEXT);
  });

  it('changes once when two changes come at once', async () => {
    const { cookie } = await signUp();
    const answers = await Promise.all(
      [`${NEXT} 1`, `${NEXT} 2`].map((newPassword) => change(cookie, { password: PASSWORD, newPassword })),
    );
    expect(answers.map((answer) => answer.status).sort()).not.toEqual([200, 200]);
  });

  it('cannot be guessed through a stolen session', async () => {
    const guarded = await startTestApp(t, {
      limits: { ...wide(), 'sign-in-pair': { ...wide()['sign-in-pair'], points: 2 } },
    });
    const { cookie } = await signUp();
    const guess = (password: string) =>
      procedureCaller(guarded.url).mutate('auth.changePassword', { password, newPassword: NEXT }, { cookie });
    const statuses = [];
    for (const password of ['one', 'two', PASSWORD]) statuses.push((await guess(password)).status);
    await guarded.close();
    expect(statuses).toEqual([400, 400, 429]);
  });
});

describe('profile', () => {
  it('keeps name, language and time zone, and forgets what is chosen no more; tokens may not change it', async () => {
    const { cookie } = await signUp();
    const save = (input: object) => call.mutate('auth.saveProfile', input, { cookie });
    const me = async () => (await call.query('auth.me', { cookie })).data;
    const chosen = { displayName: 'Ada L.', language: 'zh-CN', timeZone: 'Asia/Shanghai' };
    expect((await save(chosen)).status).toBe(200);
    expect(await me()).toMatchObject(chosen);
    await call.mutate('auth.setLanguage', { language: 'en' }, { cookie });
    expect(await me()).toMatchObject({ ...chosen, language: 'en' });
    for (const wrong of [{ timeZone: 'Mars/Olympus' }, { language: 'tlh' }, { displayName: ' ' }]) {
      expect((await save({ ...chosen, ...wrong })).status).toBe(400);
    }
    await save({ displayName: 'Ada', language: null, timeZone: null });
    expect(await me()).toMatchObject({ displayName: 'Ada', language: null, timeZone: null });

    const made = await call.mutate<{ secret: string }>(
      'auth.tokens.create',
      { name: 'robot', scopes: ['read', 'submit', 'cancel'] },
      { cookie },
    );
    const token = made.data?.secret;
    expect((await call.mutate('auth.setLanguage', { language: 'en' }, { token })).status).toBe(403);
    const input = { password: PASSWORD, newPassword: 'another quiet password' };
    expect((await call.mutate('auth.changePassword', input, { token })).status).toBe(403);
  });

  it('knows the languages that the pages are written in', () => {
    for (const language of LANGUAGES) expect(setLanguageInput.safeParse({ language }).success).toBe(true);
    expect(setLanguageInput.shape.language.options).toHaveLength(LANGUAGES.length);
  });
});
