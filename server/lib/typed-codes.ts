import { randomBytes } from 'node:crypto';

/** Codes that people read out and type: redeem codes and invite codes. */

/** Crockford's base 32: no I, L, O and U, so that the first three can be read as the digits they look like. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** So many random characters, 5 bits each: 32 divides 256, so no character is likelier than another. */
export function randomCode(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/**
 * A code as it is stored, from what a person typed: dashes, spaces, full-width letters and case do not matter, O is
 * read as 0, I and L as 1.
 *
 * @returns undefined when it can't be a code of that length
 */
export function readTypedCode(typed: string, length: number): string | undefined {
  const code = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}\p{Pc}]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const fits = code.length === length && [...code].every((character) => ALPHABET.includes(character));
  return fits ? code : undefined;
}
