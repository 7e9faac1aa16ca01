import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bucket, type Draw, drawFrom, giveBack, isLive } from './allocate.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (ms: number) => new Date(NOW.getTime() + ms);

const bucket = (
  id: string,
  remainingCredits: number,
  expiresAt: Date | null,
  orderId: string | null = null,
) => ({ id, kind: 'granted', remainingCredits, expiresAt, orderId }) satisfies Bucket;

const draw = (bucketId: string, credits: number, expiresAt: Date | null, more: Partial<Draw> = {}): Draw => ({
  bucketId,
  kind: 'purchased',
  credits,
  expiresAt,
  swept: false,
  restored: false,
  orderId: null,
  ...more,
});

/** Milliseconds from now, past and future, or never. */
const expiry = fc.oneof(fc.constant(null), fc.integer({ min: -90 * DAY_MS, max: 90 * DAY_MS }).map(at));
const credits = fc.integer({ min: 1, max: 1_000_000_000_000 });
const buckets = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 1_000_000_000_000 }), expiry, fc.option(fc.constant('order'))), {
    maxLength: 12,
  })
  .map((rows) => rows.map(([left, expires, order], n) => bucket(`b${100 + n}`, left, expires, order)));
const draws = fc
  .array(fc.tuple(credits, expiry, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 8 })
  .map((rows) =>
    rows.map(([part, expires, swept, restored], n) =>
      draw(`b${100 + n}`, part, expires, { swept: swept && expires !== null, restored }),
    ),
  );
const sum = (parts: readonly { credits: number }[]) => parts.reduce((total, part) => total + part.credits, 0);

describe('drawFrom', () => {
  it('B56 takes the soonest expiry first, never-expiring credits last, and the older of two alike', () => {
    const rows = [
      bucket('d', 5, null),
      bucket('c', 5, at(2 * DAY_MS)),
      bucket('b', 5, at(DAY_MS)),
      bucket('a', 5, at(2 * DAY_MS)),
    ];
    expect(drawFrom(rows, { credits: 17, now: NOW })).toEqual([
      { bucketId: 'b', credits: 5 },
      { bucketId: 'a', credits: 5 },
      { bucketId: 'c', credits: 5 },
      { bucketId: 'd', credits: 2 },
    ]);
  });

  it('takes the credits of an order first when that order loses them', () => {
    const rows = [bucket('a', 5, at(DAY_MS)), bucket('b', 5, null, 'o1'), bucket('c', 5, null, 'o2')];
    expect(drawFrom(rows, { credits: 8, now: NOW, firstOrderId: 'o1' })).toEqual([
      { bucketId: 'b', credits: 5 },
      { bucketId: 'a', credits: 3 },
    ]);
  });

  it('B56 does not count a bucket at the very moment of its expiry', () => {
    expect(isLive({ expiresAt: NOW }, NOW)).toBe(false);
    expect(isLive({ expiresAt: at(1) }, NOW)).toBe(true);
    expect(drawFrom([bucket('a', 5, NOW)], { credits: 1, now: NOW })).toBeUndefined();
  });

  it('B50 Σ parts = whole, each part within its bucket, or nothing at all', () => {
    fc.assert(
      fc.property(buckets, credits, fc.option(fc.constant('order')), (rows, wanted, order) => {
        const live = rows.filter((row) => isLive(row, NOW));
        const holds = live.reduce((total, row) => total + row.remainingCredits, 0);
        const moves = drawFrom(rows, {
          credits: wanted,
          now: NOW,
          ...(order ? { firstOrderId: order } : {}),
        });
        if (holds < wanted) return moves === undefined;
        if (!moves || sum(moves) !== wanted) return false;
        return moves.every((move) => {
          const from = live.find((row) => row.id === move.bucketId);
          return from !== undefined && move.credits > 0 && move.credits <= from.remainingCredits;
        });
      }),
    );
  });

  it('B56 touches a bucket only when every sooner one is used up, in whatever order rows come', () => {
    fc.assert(
      fc.property(buckets, credits, fc.infiniteStream(fc.nat()), (rows, wanted, order) => {
        const moves = drawFrom(rows, { credits: wanted, now: NOW });
        const shuffled = rows
          .map((row) => ({ row, rank: order.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ row }) => row);
        expect(drawFrom(shuffled, { credits: wanted, now: NOW })).toEqual(moves);
        if (!moves) return;
        const taken = new Map(moves.map((move) => [move.bucketId, move.credits]));
        const until = (row: Bucket) => row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
        for (const touched of rows.filter((row) => taken.has(row.id))) {
          for (const sooner of rows.filter((row) => isLive(row, NOW) && until(row) < until(touched))) {
            expect(taken.get(sooner.id) ?? 0).toBe(sooner.remainingCredits);
          }
        }
      }),
    );
  });
});

describe('giveBack', () => {
  const drawnAt = at(-2 * HOUR_MS);

  it('gives back what was taken last first, into the buckets it came from', () => {
    const taken = [draw('a', 4, at(HOUR_MS)), draw('b', 4, at(DAY_MS)), draw('c', 4, null)];
    expect(giveBack(taken, { credits: 6, now: NOW, drawnAt })).toEqual({
      moves: [
        { bucketId: 'c', credits: 4 },
        { bucketId: 'b', credits: 2 },
      ],
      restored: [],
    });
  });

  it('B56 restores credits of an expired bucket for as long as they still had when they were taken', () => {
    // Taken two hours ago, with 49 hours to go; the bucket is swept since.
    const taken = [draw('a', 4, at(47 * HOUR_MS), { swept: true, orderId: 'o1' })];
    expect(giveBack(taken, { credits: 3, now: NOW, drawnAt })).toEqual({
      moves: [],
      restored: [
        { restoredFrom: 'a', kind: 'purchased', orderId: 'o1', credits: 3, expiresAt: at(49 * HOUR_MS) },
      ],
    });
  });

  it('B56 restores for at least a day the first time, and for at least a second after that', () => {
    const expired = at(-HOUR_MS);
    const life = (restored: boolean, lifeLeftMs: number) => {
      const back = giveBack([draw('a', 1, expired, { restored })], {
        credits: 1,
        now: NOW,
        drawnAt: new Date(expired.getTime() - lifeLeftMs),
      });
      return (back.restored[0]?.expiresAt.getTime() ?? 0) - NOW.getTime();
    };
    expect(life(false, HOUR_MS)).toBe(DAY_MS);
    expect(life(false, 3 * DAY_MS)).toBe(3 * DAY_MS);
    expect(life(true, HOUR_MS)).toBe(HOUR_MS);
    expect(life(true, 10)).toBe(1_000);
    // An older release did not look at expiry, so it may have taken what had expired before.
    expect(life(false, -DAY_MS)).toBe(DAY_MS);
  });

  it('a late sweep gives restored credits no longer life', () => {
    const expiresAt = at(-10 * DAY_MS);
    const { restored } = giveBack([draw('a', 1, expiresAt, { swept: true })], {
      credits: 1,
      now: NOW,
      drawnAt: new Date(expiresAt.getTime() - 2 * DAY_MS),
    });
    expect(restored[0]?.expiresAt).toEqual(at(2 * DAY_MS));
  });

  it('puts nothing into a swept bucket though the clock of another server is behind', () => {
    const taken = [draw('a', 4, at(5), { swept: true })];
    expect(giveBack(taken, { credits: 4, now: NOW, drawnAt }).moves).toEqual([]);
  });

  it('refuses to give back more than was taken', () => {
    expect(() => giveBack([draw('a', 4, null)], { credits: 5, now: NOW, drawnAt })).toThrow(RangeError);
  });

  it('B50 Σ parts = whole, in reverse order of taking, never into an expired bucket, always with some life', () => {
    fc.assert(
      fc.property(draws, fc.double({ min: 0, max: 1, noNaN: true }), expiry, (taken, share, when) => {
        const wanted = Math.floor(sum(taken) * share);
        const back = giveBack(taken, { credits: wanted, now: NOW, drawnAt: when ?? NOW });
        expect(sum(back.moves) + sum(back.restored)).toBe(wanted);
        const given = new Map([
          ...back.moves.map((move) => [move.bucketId, move.credits] as const),
          ...back.restored.map((row) => [row.restoredFrom, row.credits] as const),
        ]);
        for (const move of back.moves) {
          const from = taken.find((part) => part.bucketId === move.bucketId);
          expect(from && !from.swept && isLive(from, NOW)).toBe(true);
        }
        for (const row of back.restored) {
          expect(row.expiresAt.getTime()).toBeGreaterThanOrEqual(NOW.getTime() + 1_000);
        }
        // Once a draw keeps a part, no earlier one gets anything back.
        let full = true;
        for (const part of [...taken].reverse()) {
          const got = given.get(part.bucketId) ?? 0;
          expect(got).toBeLessThanOrEqual(part.credits);
          if (!full) expect(got).toBe(0);
          if (got < part.credits) full = false;
        }
      }),
    );
  });
});
