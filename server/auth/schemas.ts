import { z } from 'zod';
import { inviteCode } from '#server/invites/schemas.ts';
import { MIN_PASSWORD_CHARACTERS } from './shared.ts';

/** Inputs and views of accounts: the contract of pages and API. Isomorphic: imports zod and contracts only. */

const MAX_PASSWORD_CHARACTERS = 200;

export const email = z
  .string('Enter an e-mail address.')
  .trim()
  .toLowerCase()
  .max(254, 'An e-mail address has at most 254 characters.')
  .pipe(z.email('Enter an e-mail address such as name@example.com.'));

export const displayName = z
  .string('Enter a name.')
  .trim()
  .min(1, 'Enter a name.')
  .max(80, 'A name has at most 80 characters.')
  .regex(/^[^\p{Cc}]*$/u, 'A name has no control characters.');

export const newPassword = z
  .string('Choose a password.')
  .min(MIN_PASSWORD_CHARACTERS, `A password has at least ${MIN_PASSWORD_CHARACTERS} characters.`)
  .max(MAX_PASSWORD_CHARACTERS, `A password has at most ${MAX_PASSWORD_CHARACTERS} characters.`);

/** Closed accounts have addresses of their own there. */
const newEmail = email.refine(
  (address) => !address.endsWith('@deleted.invalid'),
  'Enter an e-mail address such as name@example.com.',
);

export const signUpInput = z.object({
  email: newEmail,
  displayName,
  password: newPassword,
  /** Of whoever invited this person. */
  inviteCode: inviteCode.optional(),
});
export type SignUpInput = z.infer<typeof signUpInput>;

/** No rule on the password's length here: a wrong one gets the same answer whatever it looks like. */
export const signInInput = z.object({
  email,
  password: z
    .string('Enter your password.')
    .min(1, 'Enter your password.')
    .max(1_000, 'E-mail or password is wrong.'),
});
export type SignInInput = z.infer<typeof signInInput>;

/** The same languages as in `app/locales`; a test compares them. */
const language = z.enum(['en', 'zh-CN'], 'Choose one of the languages.');

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

export const profileInput = z.object({
  displayName,
  /** Nothing: what the browser asks for. */
  language: language.nullable(),
  /** IANA name; nothing: the browser's. */
  timeZone: z
    .string()
    .max(64, 'This time zone is not known.')
    .refine(isTimeZone, 'This time zone is not known.')
    .nullable(),
});
export type ProfileInput = z.infer<typeof profileInput>;

export const setLanguageInput = z.object({ language });

export const changePasswordInput = z.object({
  password: z
    .string('Enter your password.')
    .min(1, 'Enter your password.')
    .max(1_000, 'The password is wrong.'),
  newPassword,
});
export type ChangePasswordInput = z.infer<typeof changePasswordInput>;

export const SCOPES = ['read', 'submit', 'cancel'] as const;

export const createTokenInput = z.object({
  name: z
    .string('Name the token.')
    .trim()
    .min(1, 'Name the token.')
    .max(80, 'A name has at most 80 characters.'),
  scopes: z
    .array(z.enum(SCOPES, 'Choose from read, submit and cancel.'))
    .min(1, 'Choose at least one scope.')
    .max(20)
    .transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
});
export type CreateTokenInput = z.infer<typeof createTokenInput>;

export const tokenIdInput = z.object({ tokenId: z.uuid('This is not a token id.') });
export const sessionIdInput = z.object({
  sessionId: z.string().regex(/^[0-9a-f]{64}$/, 'This is not a session id.'),
});

export type SessionView = {
  /** Names the session; does not open it. */
  id: string;
  createdAt: Date;
  expiresAt: Date;
  userAgent: string | null;
  /** The session that asked. */
  current: boolean;
};

export type ApiTokenView = {
  id: string;
  name: string;
  /** First characters of the secret, to recognise it by. */
  prefix: string;
  scopes: (typeof SCOPES)[number][];
  createdAt: Date;
  lastUsedAt: Date | null;
};
