import { describe, expect, test } from 'vitest';
import { describeBehaviours, readDirectives } from './directives.ts';
import { BEHAVIOUR_TYPES, ruleInput } from './rules.ts';

describe('directives in a prompt', () => {
  test('are taken out of the text', () => {
    expect(readDirectives('a red [[fail]] fox [[delay:250]]')).toMatchObject({
      text: 'a red fox',
      behaviours: [{ type: 'fail' }, { type: 'delay', ms: 250 }],
      problems: [],
    });
  });

  test('take arguments by place and by name, in dashes or underscores, in any case', () => {
    expect(
      readDirectives('[[Rate-Limit:7,on=poll,times=3,as=date]] [[unknown_status:odd,always]]').behaviours,
    ).toEqual([
      {
        type: 'rate_limit',
        retryAfterSeconds: 7,
        on: 'poll',
        times: 3,
        as: 'date',
        code: 'rate_limit_exceeded',
      },
      { type: 'unknown_status', status: 'odd', times: 'always' },
    ]);
  });

  test('have short names', () => {
    const names = readDirectives('[[drop]][[502]][[429]][[404]][[401]][[late]][[no-url]]').behaviours.map(
      (item) => item.type,
    );
    expect(names).toEqual([
      'drop_after_accept',
      'error_after_accept',
      'rate_limit',
      'not_found',
      'unauthorized',
      'late_success',
      'no_artifact',
    ]);
  });

  test('leave other double brackets alone', () => {
    expect(readDirectives('a [[wiki link]] and [[page]]')).toEqual({
      text: 'a [[wiki link]] and [[page]]',
      verbatim: 'a [[wiki link]] and [[page]]',
      behaviours: [],
      problems: [],
    });
  });

  test('that cannot be understood are named', () => {
    expect(readDirectives('[[delay:soon]]').problems[0]).toContain('[[delay:soon]]');
    expect(readDirectives('[[fail:a,b,c]]').problems[0]).toContain('argument');
  });

  test('exist for every behaviour without further arguments', () => {
    for (const type of BEHAVIOUR_TYPES) {
      expect(readDirectives(`[[${type}]]`), type).toMatchObject({
        text: '',
        behaviours: [{ type }],
        problems: [],
      });
    }
  });
});

test('every behaviour is documented', () => {
  for (const { type, description } of describeBehaviours())
    expect(description.length, type).toBeGreaterThan(10);
});

test('a rule that matches nothing in particular must say so', () => {
  expect(ruleInput.safeParse({ match: {}, behaviours: [{ type: 'fail' }] }).success).toBe(false);
  expect(ruleInput.safeParse({ match: { any: true }, behaviours: [{ type: 'fail' }] }).success).toBe(true);
  expect(
    ruleInput.safeParse({ match: { any: true }, behaviours: [{ type: 'fail', cod: 'x' }] }).success,
  ).toBe(false);
});
