import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '#scripts/lib/embedded-postgres.ts';
import { createAdmin } from '#server/auth/create-admin.ts';
import { findUserByEmail } from '#server/auth/queries.ts';
import { displayName, email, newPassword } from '#server/auth/schemas.ts';
import { openDb } from '#server/db/client.ts';
import { databaseFault } from '#server/lib/database-fault.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { isCredits } from '#server/lib/money.ts';

const USAGE = `Makes an administrator, or makes an existing person one.

  npm run create-admin -- --email a@example.com [--name "Ada"] [--password … | --password-stdin | --generate] [--credits 1000]

Without a password option it is asked for; where nobody can be asked, one is generated and printed once.
Someone who has an account keeps their password unless one is given. --credits grants credits on top.
Without DATABASE_URL the embedded development database is used.`;

/** A mistake of the caller, told in one line. */
class UsageError extends Error {}

type Options = {
  email: string;
  name: string | undefined;
  password: string | undefined;
  source: 'given' | 'stdin' | 'generate' | 'ask';
  credits: number;
};

function readOptions(): Options {
  let values: Record<string, string | boolean | undefined>;
  try {
    ({ values } = parseArgs({
      options: {
        email: { type: 'string' },
        name: { type: 'string' },
        password: { type: 'string' },
        'password-stdin': { type: 'boolean' },
        generate: { type: 'boolean' },
        credits: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }));
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const given = ['password', 'password-stdin', 'generate'].filter((name) => values[name] !== undefined);
  if (given.length > 1) throw new UsageError(`Use one of ${given.map((name) => `--${name}`).join(' and ')}.`);
  if (values.email === undefined) throw new UsageError(`--email is missing.\n\n${USAGE}`);
  return {
    email: parse(email, values.email, '--email'),
    name: typeof values.name === 'string' ? parse(displayName, values.name, '--name') : undefined,
    password: typeof values.password === 'string' ? values.password : undefined,
    source: values.password
      ? 'given'
      : values['password-stdin']
        ? 'stdin'
        : values.generate
          ? 'generate'
          : 'ask',
    credits: readCredits(values.credits),
  };
}

function readCredits(text: string | boolean | undefined): number {
  if (text === undefined) return 0;
  const credits = typeof text === 'string' && /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (!isCredits(credits)) throw new UsageError('--credits: give a whole number from 0 to 1000000000000.');
  return credits;
}

type Schema<T> = {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: { message: string }[] } };
};

function parse<T>(schema: Schema<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${name}: ${result.error.issues[0]?.message ?? 'not valid'}`);
}

/** The password and whether it has to be printed. Undefined: keep the one that the person has. */
async function choosePassword(
  options: Options,
  exists: boolean,
): Promise<{ password?: string; print: boolean }> {
  if (options.source === 'given') return { password: options.password, print: false };
  if (options.source === 'stdin') return { password: await readStdin(), print: false };
  if (options.source === 'ask' && exists) return { print: false };
  if (options.source === 'ask' && process.stdin.isTTY) return { password: await askPassword(), print: false };
  return { password: randomBytes(15).toString('base64url'), print: true };
}

async function readStdin(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text.replace(/\r?\n$/, '');
}

/** Asks without echo. */
async function askPassword(): Promise<string> {
  process.stderr.write('Password (at least 10 characters): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asker = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await asker.question('');
  } finally {
    asker.close();
    process.stderr.write('\n');
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  const url = process.env.DATABASE_URL?.trim();
  const embedded = url ? undefined : await startEmbeddedPostgres({ name: 'dev' });
  const handle = openDb({
    url: url ?? embedded?.url ?? '',
    max: 1,
    pooled: ['1', 'true'].includes(process.env.DATABASE_POOLED ?? ''),
    applicationName: 'sidelane-create-admin',
  });
  try {
    const exists = (await findUserByEmail(handle.db, options.email)) !== undefined;
    const { password, print } = await choosePassword(options, exists);
    const result = await createAdmin(handle, {
      email: options.email,
      displayName: options.name ?? options.email.split('@')[0] ?? 'Administrator',
      password: password === undefined ? undefined : parse(newPassword, password, 'password'),
      credits: options.credits,
    });
    console.log(
      result.created
        ? `${options.email} can sign in as an administrator. While there is no channel, that leads to the set-up page: /admin/setup`
        : `${options.email} is an administrator now${password === undefined ? '; the password is unchanged' : ' and has the new password'}.`,
    );
    if (options.credits > 0) console.log(`${options.credits} credits granted.`);
    if (print) console.log(`Password (shown this once): ${password}`);
  } finally {
    await handle.close();
    await embedded?.stop();
  }
}

main().catch((error: unknown) => {
  const fault = databaseFault(error);
  if (error instanceof UsageError) console.error(error.message);
  else if (fault?.message.includes('not migrated'))
    console.error('The database is not migrated. Run: npm run db:migrate');
  else if (fault) console.error('The database does not answer. Start it, or check DATABASE_URL.');
  else console.error(`Not done: ${describeError(error).message}`);
  process.exitCode = 1;
});
