import { beforeEach, describe, expect, it } from 'vitest';
import { type Conditions, createConditions } from './conditions.ts';
import { createLog } from './log.ts';

const SECRET = 'a-service-token-of-more-than-32-characters';
let lines: string[];
let conditions: Conditions;

beforeEach(() => {
  lines = [];
  const log = createLog((line) => lines.push(line), SECRET);
  conditions = createConditions({ log, origin: 'http://127.0.0.1:3000' });
});

describe('createConditions', () => {
  it('says once that the web process is away, though several loops try again and again, and once that it is back', () => {
    for (let round = 0; round < 5; round += 1) {
      for (const lane of ['generation', 'refunds', 'heartbeat']) {
        conditions.failed(lane, { kind: 'unreachable', message: 'ECONNREFUSED' });
      }
    }
    for (let round = 0; round < 5; round += 1) conditions.answered('generation');
    expect(lines).toEqual([
      'warning: http://127.0.0.1:3000 cannot be reached; trying again reason="ECONNREFUSED"\n',
      'http://127.0.0.1:3000 answers again\n',
    ]);
  });

  it('says nothing when all works from the start', () => {
    conditions.answered('generation');
    conditions.answered('heartbeat');
    expect(lines).toEqual([]);
  });

  it('tells a refused token, another protocol and an error of one lane apart', () => {
    conditions.failed('generation', { kind: 'refused', message: 'A valid service token is needed.' });
    conditions.failed('generation', { kind: 'incompatible', message: 'update the daemon' });
    conditions.failed('refunds', { kind: 'failed', message: 'Something went wrong' });
    conditions.answered('generation');
    conditions.failed('refunds', { kind: 'failed', message: 'Something went wrong' });
    conditions.answered('refunds');
    expect(lines.map((line) => line.split(/[:;=]/).slice(0, 2).join(':').trim())).toEqual([
      'error: http',
      'error: http',
      'http://127.0.0.1',
      'warning: The refunds knock failed',
      'The refunds knock works again',
    ]);
  });

  it('says once per lane that an older web process does not know its knock', () => {
    for (let round = 0; round < 3; round += 1) {
      for (const lane of ['orders', 'retention']) {
        conditions.failed(lane, { kind: 'absent', message: 'No procedure found' });
      }
      conditions.answered('generation');
    }
    conditions.answered('orders');
    expect(lines).toEqual([
      'warning: http://127.0.0.1:3000 does not know the orders knock yet: update the web process answer="No procedure found"\n',
      'warning: http://127.0.0.1:3000 does not know the retention knock yet: update the web process answer="No procedure found"\n',
      'The orders knock works again\n',
    ]);
  });

  it('passes on what the web process says, once', () => {
    for (let round = 0; round < 3; round += 1)
      conditions.answered('generation', 'The database is not migrated.');
    conditions.answered('generation');
    expect(lines).toEqual([
      'warning: The database is not migrated. lane="generation"\n',
      'The generation knock works again\n',
    ]);
  });
});

describe('createLog', () => {
  it('prints one line per event and never the token', () => {
    const log = createLog((line) => lines.push(line), SECRET);
    log.error(`got ${SECRET}\nsecond line`, { header: `Bearer ${SECRET}`, left: undefined });
    expect(lines).toEqual(['error: got [redacted] second line header="Bearer [redacted]"\n']);
  });
});
