import { describe, expect, it } from 'vitest';
import { AppError } from './app-error.ts';
import { databaseFault, isDatabaseUnreachable } from './database-fault.ts';
import { describeError } from './describe-error.ts';

const withCode = (code: string, cause?: unknown) => Object.assign(new Error('inner', { cause }), { code });
const wrapped = (code: string) =>
  new Error('Failed query: select secret\nparams: hunter2', { cause: withCode(code) });

describe('databaseFault', () => {
  it.each(['ECONNREFUSED', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', '57P01', '57P03', '08006', '53300'])(
    'takes %s below any wrapper for an absent database',
    (code) => {
      expect(isDatabaseUnreachable(wrapped(code))).toBe(true);
      expect(databaseFault(withCode('X', wrapped(code)))).toMatchObject({
        code: 'unavailable',
        retryAfterSeconds: 5,
      });
    },
  );

  it('tells a missing table from an absent database', () => {
    expect(databaseFault(wrapped('42P01'))?.message).toContain('npm run db:migrate');
  });

  it('does not blame the database for an unreachable bucket', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const storage = Object.assign(new Error('The bucket does not answer', { cause }), {
      name: 'StorageError',
    });
    expect(databaseFault(storage)).toBeUndefined();
  });

  it.each(['23505', '40001', 'EACCES', undefined])('leaves %s to others', (code) => {
    expect(databaseFault(code ? wrapped(code) : new Error('bug'))).toBeUndefined();
  });
});

describe('describeError', () => {
  it('never shows the parameters of a statement', () => {
    const text = JSON.stringify(describeError(wrapped('23505')));
    expect(text).toContain('23505');
    expect(text).not.toMatch(/hunter2|select secret/);
    expect(JSON.stringify(describeError(new Error('Failed query: x\nparams: hunter2')))).not.toContain(
      'hunter2',
    );
  });

  it('redacts what looks like a credential and names the first frame of ours', () => {
    const described = describeError(new AppError('internal', 'Bearer abcdefghijklmnop was refused'));
    expect(described.message).toBe('[redacted] was refused');
    expect(described.at).toContain('error-texts.test.ts');
  });

  it('survives things that are no errors', () => {
    expect(describeError('text').message).toBe('A value that is no error was thrown.');
    expect(describeError(undefined).name).toBe('undefined');
  });
});
