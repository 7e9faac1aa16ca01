import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

const COMMON = new Set(
  'a an and are as at be by for from has have how in into is it its of on or that the their this to was what when where which who will with write about please short long text story me my our your some any'.split(
    ' ',
  ),
);

/** The words of a prompt that say what it is about, longest first kept in their order. */
function subjectsOf(prompt: string): string[] {
  const words = prompt.match(/\p{L}[\p{L}\p{N}'-]+/gu) ?? [];
  const chosen = words.filter((word) => word.length > 2 && !COMMON.has(word.toLowerCase()));
  const unique = [...new Set(chosen.map((word) => word.toLowerCase()))].slice(0, 12);
  return unique.length > 0 ? unique : ['idea'];
}

const OPENINGS = [
  'Begin with what can be seen: {a}. It sets the scale for everything else.',
  'Most people meet this subject through {a}, and that is a good place to start.',
  'There is a quiet order behind {a} that only shows after a second look.',
  'Take {a} first. It looks simple, and the simplicity is earned.',
];

const MIDDLES = [
  'Between {a} and {b} there is a short distance and a long story.',
  'What makes {a} useful is the same thing that makes {b} hard: it asks for patience.',
  'Change one detail of {a} and the rest rearranges itself around {b}.',
  'It helps to write down what is known about {a} before judging {b}.',
  'A small test tells more about {a} than a long argument about {b}.',
  'Those who worked on {a} kept returning to {b}, each time with a better question.',
  'The light falls on {a}; {b} stays in the background and carries the weight.',
  'If {a} is the melody, {b} is the rhythm that keeps it honest.',
  'Nothing about {a} is urgent, which is why {b} deserves the time.',
];

const CLOSINGS = [
  'In the end {a} remains, and it is enough.',
  'That is the case for {a}: modest, checkable, and worth the walk.',
  'Come back to {a} tomorrow; it will have kept your place.',
  'So the answer begins with {a} and ends, fairly enough, with the reader.',
];

function fill(pattern: string, subjects: readonly string[], random: SeededRandom): string {
  const first = `the ${random.pick(subjects)}`;
  const others = subjects.map((subject) => `the ${subject}`).filter((subject) => subject !== first);
  const second = others.length > 0 ? random.pick(others) : 'the rest';
  return pattern.replaceAll('{a}', first).replaceAll('{b}', second);
}

/** Some paragraphs on the prompt, the same for the same prompt. */
export function writeProse(prompt: string): string {
  const random = createSeededRandom(`prose\n${prompt}`);
  const subjects = subjectsOf(prompt);
  const subject = subjects.slice(0, 4).join(' ');
  const title = subject.charAt(0).toUpperCase() + subject.slice(1);
  const paragraphs = Array.from({ length: random.integer(4, 6) }, (_, index, all = 6) => {
    const sentences = Array.from({ length: random.integer(3, 5) }, () =>
      fill(random.pick(MIDDLES), subjects, random),
    );
    if (index === 0) sentences.unshift(fill(random.pick(OPENINGS), subjects, random));
    if (index === all) sentences.push(fill(random.pick(CLOSINGS), subjects, random));
    return [...new Set(sentences)].join(' ');
  });
  paragraphs.push(fill(random.pick(CLOSINGS), subjects, random));
  return [`# ${title}`, ...paragraphs].join('\n\n');
}

/** OpenAI's rule of thumb: about four characters a token. */
export function countTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
