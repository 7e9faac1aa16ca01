import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Deps, KeyRing } from '#server/deps.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Opens `ENCRYPTION_KEY`: 64 hexadecimal digits (version 1), or versions as `2:<hex>,1:<hex>`. The highest version
 * seals, all of them open, so a new key is put in front of the old one and the old one is removed when no row names it.
 *
 * The context (the channel's id) is authenticated but not stored: a sealed key moved to another row does not open.
 *
 * @throws Error naming the fault, never the value
 */
export function createKeyRing(encryptionKey: string): KeyRing & { newestVersion: number } {
  const keys = parseKeys(encryptionKey);
  const newest = Math.max(...keys.keys());

  return {
    newestVersion: newest,

    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyOf(keys, newest), nonce);
      cipher.setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return { sealedWith: newest, nonce: nonce.toString('base64'), ciphertext: sealed.toString('base64') };
    },

    sign: (text) => signatureOf(keyOf(keys, newest), text).toString('base64url'),

    verify(text, signature) {
      const given = Buffer.from(signature, 'base64url');
      return [...keys.values()].some((key) => {
        const expected = signatureOf(key, text);
        return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
      });
    },

    open({ sealedWith, nonce, ciphertext }, context) {
      const key = keyOf(keys, sealedWith);
      try {
        const sealed = Buffer.from(ciphertext, 'base64');
        const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(nonce, 'base64'), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch {
        throw new Error(
          'A channel key cannot be opened: it was changed, or ENCRYPTION_KEY is another one. Replace the key.',
        );
      }
    },
  };
}

/** HMAC-SHA256 under a key of its own, so that sealing and signing never share one. */
function signatureOf(key: Buffer, text: string): Buffer {
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', 'sidelane signature', 32));
  return createHmac('sha256', signingKey).update(text).digest();
}

function parseKeys(encryptionKey: string): Map<number, Buffer> {
  const keys = new Map<number, Buffer>();
  for (const part of encryptionKey.split(',').map((item) => item.trim())) {
    const match = /^(?:(\d{1,6}):)?([0-9a-f]{64})$/i.exec(part);
    if (!match?.[2])
      throw new Error('ENCRYPTION_KEY must be 64 hexadecimal digits, or versions as 2:<hex>,1:<hex>.');
    const version = Number(match[1] ?? 1);
    if (keys.has(version)) throw new Error(`ENCRYPTION_KEY names version ${version} twice.`);
    keys.set(version, Buffer.from(match[2], 'hex'));
  }
  return keys;
}

function keyOf(keys: ReadonlyMap<number, Buffer>, version: number): Buffer {
  const key = keys.get(version);
  if (!key)
    throw new Error(`A channel key was sealed with version ${version}, which ENCRYPTION_KEY does not have.`);
  return key;
}

/** Context of a channel's webhook secret, which does not open as its key and the other way round. */
export function webhookContext(channelId: string): string {
  return `webhook:${channelId}`;
}

/** A new row of a channel's key. */
export function sealKey(deps: Pick<Deps, 'keyRing' | 'newId'>, channelId: string, apiKey: string) {
  return { id: deps.newId(), channelId, ...deps.keyRing.seal(apiKey, channelId), hint: keyHint(apiKey) };
}

/** The last four characters for display; nothing of a key so short that four would give much away. */
export function keyHint(apiKey: string): string {
  return apiKey.length >= 16 ? apiKey.slice(-4) : '••••';
}
