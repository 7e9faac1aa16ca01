import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isTerminal,
  LIVE_STATUSES,
  STATUSES,
  type Status,
  TERMINAL_STATUSES,
  VOID_OUTCOMES,
} from './status.ts';
import {
  canMove,
  type DispatchFacts,
  decideDispatching,
  decideUncertain,
  sourcesOf,
  TRANSITIONS,
} from './transitions.ts';

const status = fc.constantFrom(...STATUSES);
const outcome = fc.constantFrom(
  null,
  'accepted',
  'done',
  'rejected',
  'rate_limited',
  'not_sent',
  'failed' as const,
);
const scope = fc.constantFrom('account' as const, 'request' as const, null);
const facts: fc.Arbitrary<DispatchFacts> = fc.oneof(
  fc.record({ phase: fc.constant('sent' as const), outcome }),
  fc.record({ phase: fc.constant('intent' as const), outcome: fc.constantFrom(null, 'not_sent' as const) }),
);

/** The table as the state diagram has it, written down a second time on purpose. */
const TABLE: Record<Status, Status[]> = {
  queued: ['dispatching', 'cancelled', 'failed'],
  dispatching: ['running', 'archiving', 'queued', 'failed', 'uncertain'],
  running: ['archiving', 'failed', 'cancelled', 'uncertain'],
  uncertain: ['running', 'archiving', 'failed', 'cancelled'],
  archiving: ['succeeded', 'failed', 'cancelled'],
  waiting: ['archiving', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

describe('the transition table', () => {
  it.each(STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const)))('%s → %s', (from, to) => {
    expect(canMove(from, to)).toBe(TABLE[from].includes(to));
  });

  it('has no path out of a terminal state', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TERMINAL_STATUSES),
        fc.array(status, { maxLength: 12 }),
        (start, walk) => {
          let at: Status = start;
          for (const next of walk) if (canMove(at, next)) at = next;
          expect(at).toBe(start);
        },
      ),
    );
  });

  it('lets every live state end', () => {
    for (const from of LIVE_STATUSES) {
      const reached = new Set<Status>([from]);
      for (let grown = true; grown; ) {
        grown = false;
        for (const at of [...reached])
          for (const to of TRANSITIONS[at]) if (!reached.has(to)) grown = Boolean(reached.add(to));
      }
      expect([...reached].some(isTerminal), from).toBe(true);
    }
  });

  it('reaches a create only from queued', () => {
    expect(sourcesOf('dispatching')).toEqual(['queued']);
  });
});

describe('what a dispatch row allows', () => {
  it('a second create is possible only after an answer that proves that upstream holds no job', () => {
    fc.assert(
      fc.property(facts, fc.boolean(), (row, furtherCandidates) => {
        const decision = decideDispatching(row, { furtherCandidates });
        if (decision.to !== 'queued') return;
        const proven = row.outcome !== null && (VOID_OUTCOMES as readonly string[]).includes(row.outcome);
        const neverSent = row.phase === 'intent' && row.outcome === null && decision.close === 'not_sent';
        expect(proven || neverSent).toBe(true);
      }),
    );
  });

  it('B46 another account is asked only after a refusal for its account’s sake', () => {
    fc.assert(
      fc.property(facts, scope, (row, rejectionScope) => {
        const decision = decideDispatching({ ...row, rejectionScope }, { furtherCandidates: true });
        const goesOn = decision.to === 'queued' && decision.next === 'candidate';
        expect(goesOn).toBe(row.outcome === 'rejected' && rejectionScope === 'account');
      }),
    );
  });

  it('a row that was sent without an answer becomes uncertain, whoever finds it', () => {
    expect(decideDispatching({ phase: 'sent', outcome: null }, { furtherCandidates: true })).toEqual({
      to: 'uncertain',
    });
  });

  it('an uncertain row never goes back to be sent', () => {
    fc.assert(
      fc.property(outcome, (value) => {
        const next = decideUncertain({ phase: 'sent', outcome: value });
        expect(next === null || TABLE.uncertain.includes(next)).toBe(true);
        expect(next === null).toBe(value === null);
      }),
    );
  });

  it('every decision is a pair of the table', () => {
    fc.assert(
      fc.property(facts, fc.boolean(), (row, furtherCandidates) => {
        expect(canMove('dispatching', decideDispatching(row, { furtherCandidates }).to)).toBe(true);
      }),
    );
  });
});
