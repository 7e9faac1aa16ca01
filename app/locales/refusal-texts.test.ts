import ts from 'typescript';
import { beforeAll, expect, it } from 'vitest';
import { serverWords } from '#app/components/composite/server-words.ts';
import { errorWords } from '#app/lib/error-words.ts';
import { sentencePattern } from '#app/lib/sentence-pattern.ts';
import { englishErrors } from '#app/locales/errors.ts';
import { saidBy } from '#app/testing/said-by.ts';
import {
  isText,
  parseSource,
  placeOf,
  readSources,
  type Source,
  textOf,
  walk,
} from '#app/testing/source-files.ts';

/** What refuses programs only, so that no page shows what it says. */
const TO_PROGRAMS: Readonly<Record<string, string>> = {
  'server/env.ts': 'the start of a process',
  'server/maintenance/': 'the door of the daemon',
  'server/generation/webhooks/': 'vendors that report',
  'server/orders/payment/': 'payment vendors that report',
  'server/http/payments.ts': 'payment vendors that report',
  'server/http/webhooks.ts': 'vendors that report',
  'server/http/metrics.ts': 'who collects metrics',
  'server/generation/drama/storyboard-conversation.ts': 'language models',
};

/** Words of refusals that are made somewhere else, and where this test finds them. */
const MADE_ELSEWHERE: Readonly<Record<string, string>> = {
  '‹chosen.error.issues[0]?.message›': 'a schema',
  '‹filter.error.issues[0]?.message›': 'a schema',
  '‹checked.error?.issues[0]?.message›': 'a schema',
  '‹checked.error.issues[0]?.message›': 'a schema',
  '‹message›': 'schemas of settings',
  '‹problem›': 'priceProblem() of models/schemas.ts; read-calls.ts of agents',
  '‹costly›': 'costProblem() of schemas',
  '‹refusal›': 'outbound-guard.ts',
  '‹reason›': 'api-tokens.ts and sessions.ts',
  '‹identity.reason›': 'api-tokens.ts and sessions.ts',
  '‹refusal.message›': 'another AppError',
  '‹price.problem›': 'price-child.ts of composites',
  '‹quote.problems[0]›': 'problems of a plan',
  '7': 'problems of a plan, one after the other',
  '7 And 7 more.': 'problems of a plan, one after the other',
  '7 Try again in 7 minutes.': 'the messages of rate-limits.ts',
  '7 Try again in 7 seconds.': 'the messages of rate-limits.ts',
  '7 Try again in 7 second.': 'the messages of rate-limits.ts',
};

type Said = { place: string; text: string };

/** What a file refuses with: errors of procedures, answers of loaders, messages of schemas. */
function refusalsIn(source: Source): Said[] {
  const found: Said[] = [];
  const add = (node: ts.Node, texts: readonly string[]) => {
    for (const text of texts.filter(Boolean)) found.push({ place: placeOf(source, node), text });
  };
  const hasSchemas = source.file.text.includes("from 'zod'");
  walk(source.file, (node) => {
    const made = ts.isNewExpression(node) ? messageOf(node) : undefined;
    if (made) add(node, saidBy(made));
    if (hasSchemas && isText(node) && isMessage(node)) add(node, saidBy(node));
    if (isApart(source, node)) add(node, saidBy(node.initializer));
    if (isText(node) && isReading(source, node) && SENTENCE.test(textOf(node, '7'))) add(node, saidBy(node));
  });
  return found;
}

function messageOf(node: ts.NewExpression): ts.Expression | undefined {
  const name = node.expression.getText();
  const given = [...(node.arguments ?? [])];
  if (name === 'AppError') return given[1];
  // Addresses that people type are refused by the guard itself.
  if (name === 'OutboundRefusedError') return given[0];
  const body = name === 'Response' ? given[0] : undefined;
  return body && isText(body) && /\.$/.test(textOf(body, '')) ? body : undefined;
}

/** A sentence in a file of schemas: what they refuse with, unless it is said to a model or in an error of ours. */
function isMessage(node: ts.Expression): boolean {
  const text = isText(node) ? textOf(node, '7') : '';
  if (!/^[\p{Lu}"7{].*\p{L}.*\s.*(?:[.?!]|: 7|account)$/su.test(text)) return false;
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (ts.isNewExpression(at)) return false;
    if (ts.isCallExpression(at) && /\b(?:describe|meta)$/.test(at.expression.getText())) return false;
  }
  return true;
}

/** Words that a file keeps in a table or a value, for the refusals of another place. */
const APART: Readonly<Record<string, string>> = {
  'server/http/rate-limits.ts': 'message',
  'server/auth/api-tokens.ts': 'reason',
  'server/auth/sessions.ts': 'reason',
};

const isApart = (source: Source, node: ts.Node): node is ts.PropertyAssignment =>
  ts.isPropertyAssignment(node) && node.name.getText() === APART[source.name];

/** What administrators read of upstreams: tests of channels, why a delivery is not believed, dry runs. */
const READINGS: Readonly<Record<string, readonly string[] | undefined>> = {
  'calls.ts': ['checkBy', 'unreachable'],
  'registry.ts': ['check', 'readWebhook'],
  'manage-keys.ts': ['askUpstream'],
  'adapter.ts': ['proves', 'alsoProves'],
  'check.ts': ['proves', 'alsoProves'],
  'client.ts': ['BROKEN_DESCRIPTION', 'createCall'],
  'classify-error.ts': ['message', 'describe'],
  'render-template.ts': [],
  'webhook.ts': [],
  'standard-webhooks.ts': [],
  'unsigned-webhook.ts': [],
  'describe.ts': [],
};

const SENTENCE = /^[\p{Lu}"7].*\p{L}{3}.*(?:\.|[.:] 7)$/su;

/** Whether a text stands in what {@link READINGS} names of a file, or anywhere in it where it names nothing. */
function isReading(source: Source, node: ts.Node): boolean {
  const parts = READINGS[source.name.slice(source.name.lastIndexOf('/') + 1)];
  if (!parts || !source.name.startsWith('server/providers/') || isLogged(node)) return false;
  if (parts.length === 0) return true;
  for (let at = node; at.parent; at = at.parent) {
    const name = nameOf(at);
    if (name && parts.includes(name)) return true;
  }
  return false;
}

const nameOf = (node: ts.Node): string | undefined =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isVariableDeclaration(node)
    ? node.name?.getText()
    : undefined;

const isLogged = ({ parent }: ts.Node) =>
  ts.isCallExpression(parent) && /\blogger\b/.test(parent.expression.getText());

/** Refusals of agents and dramas have texts of their own, on their own pages. */
const words = (name: string, text: string) =>
  /\/(?:agent|drama|composite)\//.test(name)
    ? serverWords(text, 'zh-CN', (each) => errorWords(each, 'zh-CN'))
    : errorWords(text, 'zh-CN');

const isToPrograms = ({ name }: Source) => Object.keys(TO_PROGRAMS).some((start) => name.startsWith(start));

it('follows a refusal to all that it can say', () => {
  const file = parseSource(
    'use-case.ts',
    `
    const WORDS = { one: 'The first.', two: 'The second.' };
    const refuse = (message: string) => new AppError('conflict', message);
    function late(who: string) { throw new AppError('conflict', \`\${who} came \${days} days late.\`); }
    refuse('Not now.'); refuse(again ? 'Not again.' : 'Never.'); late('You'); late('All');
    throw new AppError('bad_request', WORDS[which]);
    throw new AppError('bad_request', reading.problem ?? 'No problem.');
    throw new Response('There is none.', { status: 404 });
    throw new Error('A fault of ours.');`,
  );
  expect(refusalsIn({ name: 'use-case.ts', file }).map(({ text }) => text)).toEqual([
    'Not now.',
    'Not again.',
    'Never.',
    'You came 7 days late.',
    'All came 7 days late.',
    'The first.',
    'The second.',
    '‹reading.problem›',
    'No problem.',
    'There is none.',
  ]);
});

/** Reading all files takes its time: once. */
const refusals: { name: string; place: string; text: string }[] = [];

beforeAll(() => {
  const found = [...readSources('server'), ...readSources('app')]
    .filter((source) => !isToPrograms(source))
    .flatMap((source) => refusalsIn(source).map((said) => ({ name: source.name, ...said })));
  refusals.push(...found);
});

it('every refusal that a page can show is translated', () => {
  const missing = refusals.filter(
    ({ name, text }) => !(text in MADE_ELSEWHERE) && words(name, text) === text,
  );
  expect(missing.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
});

it('and there is a text for nothing that nobody says', () => {
  const texts = refusals.flatMap(({ text }) => [text, ...text.split(/(?<=[.!?7]) (?=\p{Lu})/u)]);
  const said = [...new Set(texts)];
  const idle = Object.entries(englishErrors).filter(([key, text]) => {
    const pattern = sentencePattern(text);
    return !/^value[A-Z]/.test(key) && !said.some((each) => pattern.test(each));
  });
  expect(idle).toEqual([]);
});
