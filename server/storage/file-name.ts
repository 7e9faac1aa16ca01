const MAX_NAME_CHARACTERS = 120;

/**
 * A file name that is safe to show, to store and to put into a header: the last path segment without control and
 * direction-changing characters and without what Windows refuses; `file.<extension>` when nothing is left.
 */
export function sanitiseFileName(name: string, extension: string): string {
  const lastSegment = name.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const cleaned = lastSegment
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}<>:"|?*]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  if (!cleaned) return `file.${extension}`;
  const characters = [...cleaned];
  if (characters.length <= MAX_NAME_CHARACTERS) return cleaned;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(cleaned)?.[0] ?? '';
  return characters.slice(0, MAX_NAME_CHARACTERS - ending.length).join('') + ending;
}
