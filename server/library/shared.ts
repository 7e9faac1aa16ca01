/** Numbers and closed lists of the library that pages show, too. Without zod. */

/** Days that thrown-away files can be taken back. */
export const TRASH_DAYS = 30;

/** Who ordered the task that made it: the person themselves, or a composite of theirs. */
export const MAKERS = ['own', 'agent', 'drama'] as const;
export type Maker = (typeof MAKERS)[number];

/** How long a new share link works, in days; `never`: until it is revoked. */
export const SHARE_EXPIRIES = ['1', '7', '30', 'never'] as const;
