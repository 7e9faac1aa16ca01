import { describe, expect, it } from 'vitest';
import { type CustomSettingsInput, customSettings } from './schemas.ts';
import { DIRECT, STUDIO } from './testing/descriptions.ts';

/** The first complaint, as `field: sentence`. */
function problemOf(settings: unknown): string | undefined {
  const issue = customSettings.safeParse(settings).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

const direct = (change: Partial<CustomSettingsInput>) => problemOf({ ...DIRECT, ...change });
const studio = (change: Partial<CustomSettingsInput>) => problemOf({ ...STUDIO, ...change });
const createWith = (change: object) => ({ create: { ...DIRECT.create, ...change } });

describe('a description', () => {
  it('needs a path and a template only; the rest has presets', () => {
    expect(customSettings.parse({ create: DIRECT.create })).toMatchObject({
      auth: { style: 'bearer' },
      create: { method: 'POST', body: 'json', media: 'data_uri' },
      fields: { encoding: 'url', result: [] },
      words: [],
    });
    expect(problemOf(STUDIO)).toBeUndefined();
    expect(problemOf(DIRECT)).toBeUndefined();
  });

  it('keeps status words as they are compared, and survives being stored', () => {
    const stored = customSettings.parse({
      ...STUDIO,
      words: [{ word: ' In-The  Works ', meaning: 'running' }],
    });
    expect(stored.words).toEqual([{ word: 'in_the_works', meaning: 'running' }]);
    expect(customSettings.parse(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
  });

  it('refuses fields that it does not know, so that a slip is not lost', () => {
    expect(direct({ polll: {} } as never)).toMatch(/polll/);
  });
});

describe('paths stay below the base URL', () => {
  it.each([
    ['jobs', /Start the path with "\/"/],
    ['https://elsewhere.example/jobs', /Start the path with "\/"/],
    ['//elsewhere.example/jobs', /one "\/" at its start/],
    ['/\\elsewhere.example', /neither "\\"/],
    ['/jobs/../../admin', /Leave "\." and "\.\."/],
    ['/jobs/%2E%2e/admin', /Leave "\." and "\.\."/],
    ['/a b', /no spaces/],
    ['/jobs#top', /nor "#"/],
    ['/jobs/{id}', /\{id\} is not known in this path: use \{model\} or \{ref\}/],
    ['/jobs/{model', /stands alone/],
    ['', /Enter a path/],
  ])('%j is refused with what to do', (path, sentence) => {
    expect(direct(createWith({ path }))).toMatch(sentence);
    expect(direct(createWith({ path }))).toMatch(/^create\.path: /);
  });

  it('says where the id is missing', () => {
    expect(studio({ poll: { path: '/renders' } })).toMatch(
      /^poll\.path: Write \{id\} where the job's id goes/,
    );
    expect(studio({ cancel: { path: '/stop' } })).toMatch(/^cancel\.path: Write \{id\}/);
    expect(studio({ lookup: { path: '/find' } })).toMatch(/^lookup\.path: Write \{ref\}/);
    expect(studio({ poll: { method: 'POST', path: '/query', template: '{"no":"{{id}}"}' } })).toBeUndefined();
  });
});

describe('no credential gets into a description', () => {
  it.each([
    { name: 'Authorization', value: 'x' },
    { name: 'X-Api-Key', value: 'x' },
    { name: 'X-Version', value: 'Bearer abcdef' },
    { name: 'X-Version', value: 'sk-0123456789' },
  ])('%o is sent to the key field', (header) => {
    expect(direct({ headers: [header] })).toMatch(/^headers\.0: .*Put it into the field for the key/);
  });

  it('and none into a path or a template', () => {
    const sentence = /field for the key, which is sealed/;
    expect(direct(createWith({ path: '/x?api_key=abc' }))).toMatch(sentence);
    expect(direct(createWith({ path: '/x/sk-0123456789' }))).toMatch(sentence);
    const template = '{"text":"{{prompt}}","auth":"sk-0123456789"}';
    expect(direct(createWith({ template }))).toMatch(sentence);
    expect(direct(createWith({ path: '/x?v=1&keyframes=2' }))).toBeUndefined();
  });

  it.each(['Host', 'content-length', 'Cookie', 'Idempotency-Key', 'Transfer-Encoding'])(
    'the header %s is the server’s own',
    (name) => {
      expect(direct({ headers: [{ name, value: 'x' }] })).toMatch(/set by the server itself/);
    },
  );

  it('takes other headers, each once and none that carries the key', () => {
    const version = { name: 'X-Version', value: '2' };
    expect(direct({ headers: [version] })).toBeUndefined();
    expect(direct({ headers: [version, { name: 'x-version', value: '3' }] })).toMatch(/each header once/);
    expect(studio({ headers: [{ name: 'x-studio-mode', value: 'fast' }] })).toBeUndefined();
    expect(direct({ headers: [{ name: 'X-A', value: 'a\r\nX-B: c' }] })).toMatch(/visible ASCII/);
  });
});

describe('templates', () => {
  it.each([
    ['{"a":"{{prompt}}",}', /no valid JSON.*double quotes/],
    ['["{{prompt}}"]', /Write a JSON object/],
    ['{"a":"text"}', /Write \{\{prompt\}\} where the prompt goes/],
    ['{"a":"{{prompt}}","b":"{{promt}}"}', /\{\{promt\}\} is not known here. Known are \{\{prompt\}\}/],
    ['{"a":"{{prompt}}","b":"{{params}}"}', /is not known here/],
    ['{"a":"{{prompt}}","b":"{{params.__proto__}}"}', /is not known here/],
    ['{"a":"{{prompt}}","b":"{{constructor.name}}"}', /is not known here/],
    ['{"a":"{{prompt}}","b":"{{id}}"}', /is not known here/],
    ['{"a":"{{prompt|upper}}"}', /"\|upper" is not known. Use \|number, \|text, \|seconds/],
    ['{"a":"{{prompt}}","b":"{{prompt"}', /placeholder that cannot be read/],
    ['{"a":"{{prompt}}","b":"{{1+1}}"}', /placeholder that cannot be read/],
    ['{"a":"{{prompt}}","{{model}}":"x"}', /Placeholders go into values/],
    ['{"a":"{{prompt}}","__proto__":{}}', /cannot be the name/],
  ])('%s is refused with what to do', (template, sentence) => {
    expect(direct(createWith({ template }))).toMatch(sentence);
    expect(direct(createWith({ template }))).toMatch(/^create\.template: /);
  });

  it('are bounded in size, number and depth', () => {
    const deep = `${'{"a":'.repeat(13)}"{{prompt}}"${'}'.repeat(13)}`;
    expect(direct(createWith({ template: deep }))).toMatch(/levels deep/);
    const wide = JSON.stringify({ prompt: '{{prompt}}', list: Array(600).fill(1) });
    expect(direct(createWith({ template: wide }))).toMatch(/at most 500 values/);
    const long = JSON.stringify({ prompt: '{{prompt}}', text: 'x'.repeat(20_000) });
    expect(direct(createWith({ template: long }))).toMatch(/at most 20000 characters/);
  });

  it('agree with how files and queries are sent', () => {
    expect(direct(createWith({ media: 'file' }))).toMatch(/^create\.media: .*only to a form/);
    const template = '{"p":"{{prompt}}","i":"{{firstFrame}}"}';
    expect(direct(createWith({ body: 'query', template }))).toMatch(/An address cannot hold a file/);
  });
});

describe('parts that need each other', () => {
  const { poll: _poll, ...noPoll } = STUDIO;

  it.each<[string, object, RegExp]>([
    ['no job, but a cancel', noPoll, /^cancel: This needs a job to poll/],
    ['a job without an id', { ...STUDIO, fields: { ...STUDIO.fields, id: [] } }, /^fields\.id: Say where/],
    [
      'a job without a status',
      { ...STUDIO, fields: { ...STUDIO.fields, status: [] } },
      /^fields\.status: Say where/,
    ],
    ['base64 without a place', { ...DIRECT, fields: { encoding: 'base64' } }, /^fields\.result: Say where/],
    [
      'a job that answers with a file',
      { ...STUDIO, fields: { ...STUDIO.fields, encoding: 'file' } },
      /under "Result"/,
    ],
    [
      'a look-up by a reference that is never sent',
      { ...STUDIO, webhook: undefined, create: DIRECT.create },
      /^lookup\.path: Write \{\{ref\}\} into the template/,
    ],
    [
      'a look-up by a filter',
      { ...STUDIO, lookup: { path: '/renders?ref={ref}' } },
      /^lookup\.echo: Say where the answer repeats/,
    ],
    [
      'deliveries to nowhere',
      { ...STUDIO, create: { ...STUDIO.create, template: '{"p":"{{prompt}}","ref":"{{ref}}"}' } },
      /Write \{\{webhookUrl\}\}/,
    ],
    [
      'a file behind a key that goes into the address',
      { ...STUDIO, auth: { style: 'query', name: 'key' }, result: { path: '/f/{id}', as: 'file' } },
      /^result\.as: .*needs the key in a header/,
    ],
    [
      'a place that is no path',
      { ...STUDIO, fields: { ...STUDIO.fields, progress: ['a..b'] } },
      /names with dots/,
    ],
    [
      'a place in the prototype',
      { ...STUDIO, fields: { ...STUDIO.fields, id: ['a.__proto__'] } },
      /cannot be read/,
    ],
  ])('%s: the complaint names the field', (_name, settings, sentence) => {
    expect(problemOf(settings)).toMatch(sentence);
  });
});
