/** Numbers of accounts that pages show, too. Without zod. */

export const MIN_PASSWORD_CHARACTERS = 10;
