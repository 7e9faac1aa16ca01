import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderPath, renderTemplate } from './render-template.ts';
import { templateProblems } from './template/schemas.ts';

const render = (template: unknown, scope: Record<string, unknown> = {}) =>
  renderTemplate(JSON.stringify(template), new Map(Object.entries(scope)));
const value = (template: unknown, scope: Record<string, unknown> = {}) => {
  const rendered = render(template, scope);
  return rendered.ok ? rendered.value : rendered.problem;
};

describe('renderTemplate', () => {
  it('keeps the type of a value that stands alone, and writes text where others stand beside it', () => {
    const scope = { 'params.n': 3, 'params.hd': false, 'params.list': [1, 2], prompt: 'a "cat"\n{{model}}' };
    expect(
      value(
        {
          n: '{{params.n}}',
          hd: '{{ params.hd }}',
          list: '{{params.list}}',
          text: 'n={{params.n}}, hd={{params.hd}}: {{prompt}}',
          fixed: 7,
          nothing: null,
        },
        scope,
      ),
    ).toEqual({
      n: 3,
      hd: false,
      list: [1, 2],
      // What people write is never read as a template.
      text: 'n=3, hd=false: a "cat"\n{{model}}',
      fixed: 7,
      nothing: null,
    });
  });

  it('leaves out what has no value, and what is empty for that reason', () => {
    const template = {
      a: '{{params.a}}',
      mixed: 'x {{params.a}}',
      list: ['{{params.a}}', '{{params.b}}'],
      gone: { deep: ['{{params.a}}', { x: '{{params.a}}' }] },
      kept: {},
      files: '{{references}}',
    };
    expect(value(template, { 'params.b': 1, 'params.a': '', references: [] })).toEqual({
      list: [1],
      kept: {},
    });
    expect(value({ a: '{{params.a}}' })).toEqual({});
  });

  it('converts', () => {
    const template = { a: '{{params.s|number}}', b: '{{params.s|seconds}}', c: '{{params.n|text}}' };
    expect(value(template, { 'params.s': '5', 'params.n': 7 })).toEqual({ a: 5, b: '5s', c: '7' });
    expect(value({ b: '{{params.s|seconds}}' }, { 'params.s': '5s' })).toEqual({ b: '5s' });
    expect(value({ a: '{{params.s|number}}' }, { 'params.s': 'long' })).toBe(
      '"params.s" must be a number, but it is not.',
    );
  });

  it('refuses a file in the middle of a text and a request that grows too large', () => {
    expect(value({ a: 'x {{firstFrame}}' }, { firstFrame: { file: 1 } })).toMatch(
      /into the middle of a text/,
    );
    const many = Array(40).fill('{{prompt}}');
    expect(value({ many }, { prompt: 'x'.repeat(3_000_000) })).toMatch(/too large/);
  });

  const names = fc.constantFrom('prompt', 'model', 'params.size', 'params.seconds', 'ref', 'webhookUrl');
  const texts = fc.oneof(
    fc.string(),
    names.map((name) => `{{${name}}}`),
    fc
      .tuple(fc.string(), names, fc.constantFrom('', '|number', '|text', '|seconds'))
      .map(([before, name, conversion]) => `${before}{{${name}${conversion}}}`),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      texts,
      fc.integer(),
      fc.constantFrom(null, true),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 5 }), tie('json'), { maxKeys: 4 }),
    ),
  }));
  const scopes = fc.dictionary(names, fc.oneof(fc.string(), fc.integer(), fc.constant('{{prompt}}')), {
    maxKeys: 6,
  });

  it('never throws, never changes what holds no placeholder, and fills in what people wrote as it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 4 }),
        scopes,
        (template, scope) => {
          const rendered = render(template, scope);
          expect(typeof rendered.ok).toBe('boolean');
          if (!rendered.ok || JSON.stringify(template).includes('{{')) return;
          expect(rendered.value).toEqual(JSON.parse(JSON.stringify(template)));
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (prompt) => {
        expect(value({ a: { b: ['{{prompt}}'] } }, { prompt })).toEqual({ a: { b: [prompt] } });
        expect(value({ a: '<{{prompt}}>' }, { prompt })).toEqual({ a: `<${prompt}>` });
      }),
    );
  });

  it('never reaches a prototype', () => {
    const before = Object.keys(Object.prototype);
    fc.assert(
      fc.property(fc.constantFrom('__proto__', 'constructor', 'toString'), fc.string(), (key, text) => {
        renderTemplate(`{"${key}":{"polluted":${JSON.stringify(text)}}}`, new Map());
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
        expect(value({ a: `{{x.${key}}}`, b: `{{params.${key}}}` }, { prompt: 'x' })).toEqual({});
        if (key !== '__proto__') expect(value({ a: `{{${key}}}` }, { prompt: 'x' })).toEqual({});
      }),
    );
    expect(Object.keys(Object.prototype)).toEqual(before);
  });

  it('whatever is written as a template is either refused in sentences or rendered', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          json.map((any) => JSON.stringify(any) ?? ''),
        ),
        (template) => {
          const problems = templateProblems(template, 'create');
          if (problems.length > 0) for (const problem of problems) expect(problem).toMatch(/[.:)}"]$/);
          else expect(['boolean']).toContain(typeof renderTemplate(template, new Map()).ok);
        },
      ),
    );
  });
});

describe('renderPath', () => {
  it('percent-encodes values; only a model keeps its slashes', () => {
    expect(renderPath('/jobs/{id}', { id: 'a/b?c#d%2F' })).toBe('/jobs/a%2Fb%3Fc%23d%252F');
    expect(renderPath('/m/{model}/run?x=1', { model: 'owner/name v2' })).toBe('/m/owner/name%20v2/run?x=1');
    expect(renderPath('/find?ref={ref}', { ref: 'a&b' })).toBe('/find?ref=a%26b');
  });

  it.each([
    ['/jobs/{id}', { id: '..' }],
    ['/jobs/.{id}', { id: '.' }],
    ['/jobs/{id}', {}],
    ['/jobs/{id}', { id: '\ud800' }],
    ['/{model}', { model: '../../admin' }],
    ['/{model}', { model: '/elsewhere.example' }],
  ])('%s with %o leads nowhere', (path, values) => {
    expect(renderPath(path, values as Record<string, string>)).toBeUndefined();
  });

  it('never leaves the base URL’s origin or the place below it', () => {
    const odd = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '..',
        '.',
        '//x.example',
        '\\x',
        '@x.example',
        'a/../../b',
        '%2e%2e',
        '?a',
        '#b',
        'http://x',
      ),
    );
    fc.assert(
      fc.property(odd, odd, (id, model) => {
        for (const path of ['/base/{id}', '/base/{model}/x', '/base/{id}/{model}']) {
          const rendered = renderPath(path, { id, model });
          if (rendered === undefined) continue;
          const url = new URL(`https://vendor.example${rendered}`);
          expect(url.origin).toBe('https://vendor.example');
          expect(url.pathname.startsWith('/base/')).toBe(true);
          expect([url.search, url.hash]).toEqual(['', '']);
        }
      }),
    );
  });
});
