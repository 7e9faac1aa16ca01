import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './address-rules.ts';
import { createOutboundGuard, OutboundRefusedError } from './outbound-guard.ts';

/** Spellings by a seeded generator, so that a failure can be repeated: the message holds the URL. */

const RUNS = 20_000;
const guard = createOutboundGuard();

type Random = {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(items: readonly T[]): T;
  chance(share: number): boolean;
};

/** Mulberry32. */
function seeded(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    chance: (share) => next() < share,
  };
}

/** Blocks as base address and prefix length. */
const PRIVATE_BLOCKS = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xe0000000, 4],
  [0xf0000000, 4],
  [0xa83f8110, 32],
] as const;
const PUBLIC_BLOCKS = [
  [0x08080000, 16],
  [0x5db80000, 16],
  [0xd8000000, 8],
] as const;

function addressIn(random: Random, blocks: readonly (readonly [number, number])[]): number {
  const [base, prefix] = random.pick(blocks);
  const size = 2 ** (32 - prefix);
  const offset = random.chance(0.2) ? random.pick([0, size - 1]) : random.below(size);
  return base + offset;
}

const bytesOf = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
const dotted = (address: number) => bytesOf(address).join('.');
const wordsOf = (address: number) => [(address >>> 16) & 0xffff, address & 0xffff];

/** One number of an IPv4 address as `inet_aton` reads it: decimal, octal or hexadecimal, with any leading zeros. */
function spellNumber(random: Random, value: number): string {
  const zeros = '0'.repeat(random.chance(0.3) ? random.below(6) : 0);
  switch (random.below(3)) {
    case 0:
      return `${random.pick(['0x', '0X'])}${zeros}${random.chance(0.5) ? value.toString(16) : value.toString(16).toUpperCase()}`;
    case 1:
      return `0${zeros}${value.toString(8)}`;
    default:
      return String(value);
  }
}

/** One to four parts; the last takes the bytes that are left. */
function spellIpv4(random: Random, address: number): string {
  const bytes = bytesOf(address);
  const parts = 1 + random.below(4);
  const head = bytes.slice(0, parts - 1);
  const tail = bytes.slice(parts - 1).reduce((value, byte) => value * 256 + byte, 0);
  return [...head, tail].map((value) => spellNumber(random, value)).join('.');
}

/** Characters that Unicode normalisation turns into ASCII, percent-encoding, and what IDNA leaves out. */
function disguise(random: Random, host: string): string {
  return [...host]
    .map((character) => {
      if (!random.chance(0.25)) return character;
      const code = character.charCodeAt(0);
      if (character === '.') return random.pick(['.', '\u3002', '\uff0e', '\uff61', '%2e', '%2E']);
      switch (random.below(4)) {
        case 0:
          return String.fromCharCode(code + 0xfee0);
        case 1:
          return `%${code.toString(16)}`;
        case 2:
          return `${character}${random.pick(['\u00ad', '\u200b', '\u2060'])}`;
        default:
          return character.toUpperCase();
      }
    })
    .join('');
}

/** Everything around the host that URL parsers forgive. */
function wrap(random: Random, host: string, { mayEndInDot = true } = {}): string {
  const scheme = random.pick(['http', 'https', 'HTTP', 'hTTps']);
  const slashes = random.pick(['//', '//', '//', '/', '', '///', '\\\\', '/\\', '\\']);
  const dot = mayEndInDot && random.chance(0.2) ? '.' : '';
  const port = random.chance(0.4) ? `:${random.pick(['', '80', '443', '8080', '00080', '4010'])}` : '';
  const rest = random.pick(['', '/', '/latest/meta-data', '?x=1', '#a', '/@example.com', '\\x', '/%2e%2e/x']);
  const url = `${scheme}:${slashes}${host}${dot}${port}${rest}`;
  return random.chance(0.1) ? random.pick([` ${url}`, `${url}\n`, `\t${url} `]) : url;
}

/** IPv6 text of eight words: random case, leading zeros, one run of zeros left out or not, dotted end or not. */
function spellIpv6(random: Random, words: readonly number[]): string {
  const dottedEnd = random.chance(0.3);
  const texts = words.slice(0, dottedEnd ? 6 : 8).map((word) => {
    const plain = word.toString(16).padStart(random.chance(0.3) ? 4 : 1, '0');
    return random.chance(0.5) ? plain.toUpperCase() : plain;
  });
  const end = dottedEnd ? [dotted(((words[6] ?? 0) * 0x10000 + (words[7] ?? 0)) >>> 0)] : [];
  const start = texts.findIndex((text) => Number.parseInt(text, 16) === 0);
  if (start < 0 || random.chance(0.3)) return `[${[...texts, ...end].join(':')}]`;
  let length = 1;
  while (start + length < texts.length && Number.parseInt(texts[start + length] ?? '1', 16) === 0)
    length += 1;
  const left = texts.slice(0, start).join(':');
  const right = [...texts.slice(start + length), ...end].join(':');
  return `[${left}::${right}]`;
}

/** Every way to write an IPv4 address into an IPv6 one. */
function embed(random: Random, address: number): number[] {
  const [high = 0, low = 0] = wordsOf(address);
  return random.pick([
    [0, 0, 0, 0, 0, 0xffff, high, low],
    [0, 0, 0, 0, 0, 0, high, low],
    [0, 0, 0, 0, 0xffff, 0, high, low],
    [0x64, 0xff9b, 0, 0, 0, 0, high, low],
    [0x64, 0xff9b, 1, random.below(65_536), 0, 0, high, low],
    [0x2002, high, low, random.below(65_536), 0, 0, 0, random.below(65_536)],
    [0x2001, 0, high, low, 0, random.below(65_536), ~high & 0xffff, ~low & 0xffff],
    [0x2001, 0, 0x4136, 0xe378, 0x8000, 0x63bf, ~high & 0xffff, ~low & 0xffff],
    [0x2606, 0x4700, 0, random.below(65_536), random.pick([0, 0x200]), 0x5efe, high, low],
  ]);
}

const localIpv6 = (random: Random) => {
  const tail = () => random.below(65_536);
  const head = random.pick([0xfc00, 0xfd00, 0xfdab, 0xfe80, 0xfebf, 0xfec0, 0xff02, 0xff0e, 0x0100, 0x5f00]);
  return [head, 0, random.chance(0.5) ? 0 : tail(), 0, 0, 0, 0, tail()];
};

/** `undefined` when the guard lets the URL through. */
function refusalOf(url: string): unknown {
  try {
    guard.checkUrl(url);
    return undefined;
  } catch (error) {
    return error;
  }
}

function eachUrl(seed: number, make: (random: Random) => string, check: (url: string) => void): void {
  const random = seeded(seed);
  for (let run = 0; run < RUNS; run += 1) check(make(random));
}

const refused = (url: string) =>
  expect(refusalOf(url), JSON.stringify(url)).toBeInstanceOf(OutboundRefusedError);

describe('B62: no spelling of a private address passes', () => {
  it('IPv4 as decimal, octal, hexadecimal, short and disguised forms', () => {
    eachUrl(
      1,
      (random) => wrap(random, disguise(random, spellIpv4(random, addressIn(random, PRIVATE_BLOCKS)))),
      refused,
    );
  });

  it('the same spellings of public addresses pass, so that the test above proves something', () => {
    const random = seeded(1);
    for (let run = 0; run < RUNS; run += 1) {
      const address = addressIn(random, PUBLIC_BLOCKS);
      const url = wrap(random, disguise(random, spellIpv4(random, address)));
      expect(guard.checkUrl(url).hostname, JSON.stringify(url)).toBe(dotted(address));
    }
  });

  it('IPv4 inside IPv6, also of public addresses', () => {
    const make = (random: Random) => {
      const blocks = random.chance(0.8) ? PRIVATE_BLOCKS : PUBLIC_BLOCKS;
      return wrap(random, spellIpv6(random, embed(random, addressIn(random, blocks))), {
        mayEndInDot: false,
      });
    };
    eachUrl(2, make, refused);
  });

  it('local IPv6', () => {
    eachUrl(
      3,
      (random) => wrap(random, spellIpv6(random, localIpv6(random)), { mayEndInDot: false }),
      refused,
    );
  });

  it('public IPv6 in the same spellings passes', () => {
    const make = (random: Random) => {
      const words = [0x2606, 0x4700, random.below(65_536), 0, 0, 0, 1, random.below(65_536)];
      return wrap(random, spellIpv6(random, words), { mayEndInDot: false });
    };
    eachUrl(3, make, (url) => expect(refusalOf(url), JSON.stringify(url)).toBeUndefined());
  });

  it('local names', () => {
    const make = (random: Random) => {
      const name = random.pick([
        'localhost',
        'api.localhost',
        'metadata',
        'metadata.google.internal',
        'metadata.goog',
        'instance-data',
        'nas.local',
        'gateway.lan',
        'x.home.arpa',
        'redis',
        'kubernetes.default.svc',
      ]);
      return wrap(random, disguise(random, name));
    };
    eachUrl(4, make, refused);
  });

  it('a public name in the same disguises passes', () => {
    const random = seeded(4);
    for (let run = 0; run < RUNS; run += 1) {
      const url = wrap(random, disguise(random, 'api.example.com'));
      expect(guard.checkUrl(url).hostname.replace(/\.$/, ''), JSON.stringify(url)).toBe('api.example.com');
    }
  });

  it('names and addresses behind a user name', () => {
    const make = (random: Random) => {
      const host = disguise(random, random.chance(0.5) ? '127.0.0.1' : 'api.example.com');
      return wrap(
        random,
        `${random.pick(['a', 'api.example.com', 'a:b', 'a%40b', ':x', '8.8.8.8'])}@${host}`,
      );
    };
    eachUrl(5, make, refused);
  });

  it('answers of a resolver, however they are written', () => {
    const random = seeded(6);
    for (let run = 0; run < RUNS; run += 1) {
      const address = addressIn(random, PRIVATE_BLOCKS);
      const words = random.chance(0.5) ? embed(random, address) : localIpv6(random);
      const bare = spellIpv6(random, words).slice(1, -1);
      for (const answer of [dotted(address), bare, `${bare}%eth0`])
        expect(isPublicAddress(answer), answer).toBe(false);
    }
  });

  it('noise never makes the guard throw anything but its refusal', () => {
    const make = (random: Random) => {
      const alphabet = [
        'http',
        'https',
        'file',
        ':',
        '/',
        '//',
        '\\',
        '@',
        '.',
        '..',
        '%',
        '%00',
        '[',
        ']',
        '::',
        '1',
        '0x',
        '127',
        'a',
        'é',
        '\u0000',
        '\ud800',
        ' ',
        '\n',
        '?',
        '#',
        '-',
        'xn--',
      ];
      return Array.from({ length: random.below(12) }, () => random.pick(alphabet)).join('');
    };
    eachUrl(7, make, (url) => {
      const refusal = refusalOf(url);
      if (refusal !== undefined) expect(refusal, JSON.stringify(url)).toBeInstanceOf(OutboundRefusedError);
    });
  });
});
