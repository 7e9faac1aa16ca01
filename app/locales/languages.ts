/** Languages that pages are written in, by BCP 47 tag; the first is what is shown when none of a visitor's is there. */
export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Their own names, for choosing. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '简体中文' };

const LANGUAGE_COOKIE = 'sidelane_language';

/** Value of the `Set-Cookie` header that keeps a language in the browser for a year; null forgets it. */
export const languageCookie = (language: Language | null): string =>
  `${LANGUAGE_COOKIE}=${language ?? ''}; Path=/; Max-Age=${language === null ? 0 : 31_536_000}; SameSite=Lax; HttpOnly`;

export const isLanguage = (value: unknown): value is Language => LANGUAGES.some((each) => each === value);

/** What a person has chosen, else the cookie of this browser, else the first language of `Accept-Language` that is there. */
export function chooseLanguage(input: {
  chosen: string | null | undefined;
  cookieHeader: string | null;
  acceptLanguage: string | null;
}): Language {
  if (isLanguage(input.chosen)) return input.chosen;
  const cookie = input.cookieHeader
    ?.split(';')
    .map((part) => part.trim().split('='))
    .find(([name]) => name === LANGUAGE_COOKIE)?.[1];
  if (isLanguage(cookie)) return cookie;
  return fromAcceptLanguage(input.acceptLanguage ?? '');
}

/** RFC 9110: `zh-Hans;q=0.8, en;q=0.5`. Any kind of Chinese gets the one that is there. */
function fromAcceptLanguage(header: string): Language {
  const ranked = header
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.map((each) => each.trim()).find((each) => each.startsWith('q='));
      return { tag: tag.toLowerCase(), quality: quality ? Number(quality.slice(2)) : 1 };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality);
  for (const { tag } of ranked) {
    if (tag === 'zh' || tag.startsWith('zh-')) return 'zh-CN';
    if (tag === 'en' || tag.startsWith('en-')) return 'en';
  }
  return LANGUAGES[0];
}
