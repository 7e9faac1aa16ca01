import ts from 'typescript';
import { expect, it } from 'vitest';
import { errorWords } from '#app/lib/error-words.ts';
import { sentencePattern } from '#app/lib/sentence-pattern.ts';
import { englishRefusals } from '#app/locales/refusals.ts';
import { saidBy } from '#app/testing/said-by.ts';
import { isText, placeOf, readSources, walk } from '#app/testing/source-files.ts';
import { serverWords } from './server-words.ts';

const inChinese = (text: string) => serverWords(text, 'zh-CN', (each) => errorWords(each, 'zh-CN'));

it('leaves English as it is', () => {
  expect(serverWords('There is no such film.', 'en')).toBe('There is no such film.');
});

it.each([
  ['one sentence', 'There is no such film.', '没有这部影片。'],
  [
    'with a value',
    'Shot 3 is locked. Unlock it before you change or remove it.',
    '镜头 3 已锁定。更改或移除前请先解锁。',
  ],
  [
    'of a part of a plan',
    'Shot 2, clip: The model makes clips of at most 8 seconds; this shot lasts 12.',
    '镜头 2，片段：该模型的片段最多 8 秒，而这个镜头有 12 秒。',
  ],
  [
    'of several parts',
    'Shot 1, picture: No model was chosen for this. Character Mara: It is too large for a price. And 3 more.',
    '镜头 1，画面：没有为它选择模型。角色 Mara：它太大，无法计算价格。另有 3 个问题。',
  ],
  [
    'with another inside',
    'The shots did not start by themselves: they cost 60 credits, more than the 50 that you allowed.',
    '没有自动开始生成镜头：需要 60 积分，超过您允许的 50。',
  ],
  [
    'of a file of a film',
    'The narration of shot 4 holds no sound. Make it again.',
    '镜头 4 的配音没有声音，请重新生成。',
  ],
  ['why a task failed', 'The provider refused this request.', '服务商拒绝了这个请求。'],
  [
    'with what a vendor said',
    'The provider refused this request. It said: no hats',
    '服务商拒绝了这个请求。对方说明：no hats',
  ],
  [
    'line by line',
    'Stopped with what is there.\nThis was made:\n- image 7',
    '已停止，保留已有内容。\n已生成：\n- image 7',
  ],
  [
    'with the place in a storyboard',
    'shots.3.seconds: Enter whole seconds.',
    'shots.3.seconds: 请填写整数秒。',
  ],
])('says %s', (_case, english, chinese) => {
  expect(inChinese(english)).toBe(chinese);
});

it('keeps the words of people and models, also beside a sentence that is known', () => {
  expect(inChinese('too dark')).toBe('too dark');
  expect(inChinese('The moon is full. There is no such film. All is well.')).toBe(
    'The moon is full.没有这部影片。 All is well.',
  );
});

/** Where agents and dramas get their sentences from. */
const SAYS =
  /^(?:server\/generation\/(?:agent|drama|composite)|server\/composition|app\/components\/(?:agent|drama|composite))\/[\w-]+\.tsx?$|^server\/storage\/(?:read-document|import-output)\.ts$|^app\/routes\/workbench\.(?:agents|dramas)\./;

/** What speaks to a language model, or to a program. */
const TO_OTHERS =
  /\/(?:instructions|tool-definitions|build-conversation|rounds|storyboard-conversation|describe-output|part-prompts|write-ass)\.ts$/;

/** What is told to a model or written into the history, which has codes of its own. */
const ASIDE = ['told', 'reason', 'first', 'description', 'text'];

const sources = [...readSources('server'), ...readSources('app')].filter(
  ({ name }) => SAYS.test(name) && !TO_OTHERS.test(name),
);

/** Errors of ours reach no page. */
function isAside(node: ts.Node): boolean {
  for (let at = node; at.parent; at = at.parent) {
    if (ts.isNewExpression(at) && !/^(?:AppError|FilmFault)$/.test(at.expression.getText())) return true;
    if (ts.isCallExpression(at) && /^super$|\bunusable$/.test(at.expression.getText())) return true;
    if ((ts.isPropertyAssignment(at) || ts.isVariableDeclaration(at)) && ASIDE.includes(at.name.getText()))
      return true;
  }
  return false;
}

type Said = { place: string; text: string; isAside: boolean };

/** Everything that the sources can say. */
const said: Said[] = sources.flatMap((source) => {
  const found: Said[] = [];
  walk(source.file, (node) => {
    if (!isText(node)) return;
    const about = { place: placeOf(source, node), isAside: isAside(node) };
    for (const text of saidBy(node)) found.push({ ...about, text: text.trim() });
  });
  return found;
});

it('knows every sentence that the server and the actions say to the owner of an agent or a drama', () => {
  const sentences = said.filter((each) => !each.isAside && /^["\p{Lu}].*\s.*\.$/su.test(each.text));
  expect(sentences.length).toBeGreaterThan(150);
  // Also a sentence of which only one half is known is missing; names of programs and files are no words.
  const missing = sentences.filter(({ text }) => / [a-z]{2,} [a-z]{2,}/.test(inChinese(text)));
  expect(missing.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
});

it('has no text that nobody says', () => {
  // A problem behind the part that has it is put together from two.
  const own = Object.entries(englishRefusals).filter(([key]) => !/^of[A-Z]/.test(key));
  const idle = own.filter(([, text]) => {
    const pattern = sentencePattern(text);
    return !said.some((each) => pattern.test(each.text));
  });
  expect(idle).toEqual([]);
});
