import { readDirectives } from '../directives.ts';
import { ApiError } from '../wire.ts';

/**
 * What a conversation with tools is told to do, inside the user's first turn. These decide what the language model
 * answers; the behaviours of `rules.ts` work beside them and decide what becomes of the call.
 */
export const TALK_DIRECTIVES: readonly { directive: string; description: string }[] = [
  { directive: '[[shots=5]]', description: 'Storyboard: so many shots (3, or one per line of dialogue).' },
  { directive: '[[seconds=2]]', description: 'Storyboard: so many seconds per shot (3).' },
  {
    directive: '[[storyboard:bad=2]]',
    description:
      'So many storyboards are wrong before a right one: broken JSON first, then against the schema, in turn.',
  },
  {
    directive: '[[storyboard:text]]',
    description: 'The storyboard comes as JSON in the text, without a call.',
  },
  {
    directive: '[[agent:malformed]]',
    description: 'The first call has arguments that are cut; then all is right.',
  },
  { directive: '[[agent:unknown-tool]]', description: 'The first call is of a tool that was not offered.' },
  { directive: '[[agent:bad-arguments]]', description: 'The first call has arguments against the schema.' },
  { directive: '[[agent:repeat]]', description: 'The same call, for ever.' },
  { directive: '[[agent:chatter]]', description: 'Text without a call, for ever.' },
  {
    directive: '[[agent:ask]]',
    description: 'Asks the user before it finishes; [[agent:ask=Which colour?]] asks that.',
  },
  { directive: '[[agent:one]]', description: 'One generate call in place of one per kind.' },
  { directive: '[[agent:many=4]]', description: 'So many generate calls in one answer.' },
  {
    directive: '[[agent:steps=4]]',
    description: 'So many answers with one generate call each, then the end.',
  },
  {
    directive: '[[agent:call=read_output {"id":"$output"}]]',
    description:
      'This call in an answer of its own before the end; several come in their order. $output is the newest id in the results, $reference the first id beside the goal.',
  },
  {
    directive: '[[agent:obey]]',
    description: 'Is fooled: does what a tool result says as <<call NAME {json}>>.',
  },
  {
    directive: '[[child: fail]]',
    description:
      'The prompt of every child holds [[fail]]. [[child:2 fail]]: only the second. Of a shot it is the picture; [[child:2.clip fail]], [[child:*.voice fail]] and [[child:1.look fail]] (a character) name another part.',
  },
];

type ChildPart = 'picture' | 'clip' | 'voice' | 'look';
type ChildRule = { index: number | null; part: ChildPart; words: string };

export type TalkDirectives = {
  /** What the user wrote, without any directive. */
  text: string;
  shots: number | null;
  seconds: number | null;
  badStoryboards: number;
  storyboardAsText: boolean;
  malformed: boolean;
  unknownTool: boolean;
  badArguments: boolean;
  repeat: boolean;
  chatter: boolean;
  obey: boolean;
  /** The question; empty for the usual one, null for none. */
  ask: string | null;
  /** Generate calls in one answer; null for one per kind. */
  many: number | null;
  /** Answers with one generate call each. */
  steps: number | null;
  calls: { name: string; arguments: string }[];
  children: ChildRule[];
};

const DIRECTIVE = /\[\[\s*(shots|seconds|storyboard|agent|child)\s*[:=]\s*(.*?)\s*\]\]/gis;
const MOST = 200;

function readCount(text: string | undefined): number | undefined {
  const count = Number(text);
  return text && Number.isInteger(count) && count >= 1 && count <= MOST ? count : undefined;
}

function readChild(source: string): ChildRule | undefined {
  const [, index, part, words] =
    /^(?:(\d{1,3}|\*)(?:\.(picture|clip|voice|look))?\s+)?(.+)$/is.exec(source) ?? [];
  if (words === undefined) return undefined;
  const place = index === undefined || index === '*' ? null : Number(index);
  return { index: place, part: (part?.toLowerCase() as ChildPart | undefined) ?? 'picture', words };
}

/** Takes one directive over; false when it cannot be understood. */
function apply(found: TalkDirectives, name: string, source: string): boolean {
  if (name === 'child') {
    const rule = readChild(source);
    if (rule) found.children.push(rule);
    return rule !== undefined;
  }
  if (name === 'shots' || name === 'seconds') {
    found[name] = readCount(source) ?? null;
    return found[name] !== null;
  }
  const [, word = '', value] = /^([a-z-]+)(?:\s*=\s*(.*))?$/is.exec(source) ?? [];
  const count = readCount(value);
  switch (`${name}:${word.toLowerCase()}`) {
    case 'storyboard:bad':
      found.badStoryboards = count ?? 1;
      return true;
    case 'storyboard:text':
      found.storyboardAsText = true;
      return true;
    case 'agent:malformed':
      found.malformed = true;
      return true;
    case 'agent:unknown-tool':
      found.unknownTool = true;
      return true;
    case 'agent:bad-arguments':
      found.badArguments = true;
      return true;
    case 'agent:repeat':
      found.repeat = true;
      return true;
    case 'agent:chatter':
      found.chatter = true;
      return true;
    case 'agent:obey':
      found.obey = true;
      return true;
    case 'agent:ask':
      found.ask = value ?? '';
      return true;
    case 'agent:one':
      found.many = 1;
      return true;
    case 'agent:many':
      found.many = count ?? null;
      return count !== undefined;
    case 'agent:steps':
      found.steps = count ?? null;
      return count !== undefined;
    case 'agent:call': {
      const [, tool, args] = /^(\S+)\s*(.*)$/s.exec(value ?? '') ?? [];
      if (tool !== undefined) found.calls.push({ name: tool, arguments: args || '{}' });
      return tool !== undefined;
    }
    default:
      return false;
  }
}

/**
 * Takes the directives out of the user's first turn.
 *
 * @throws ApiError 400 `invalid_directive` for one that cannot be understood
 */
export function readTalkDirectives(source: string): TalkDirectives {
  const found: TalkDirectives = {
    text: '',
    shots: null,
    seconds: null,
    badStoryboards: 0,
    storyboardAsText: false,
    malformed: false,
    unknownTool: false,
    badArguments: false,
    repeat: false,
    chatter: false,
    obey: false,
    ask: null,
    many: null,
    steps: null,
    calls: [],
    children: [],
  };
  const rest = source.replace(DIRECTIVE, (whole, name: string, value: string) => {
    if (!apply(found, name.toLowerCase(), value))
      throw new ApiError(400, 'invalid_directive', `The directive ${whole} is not usable.`, 'prompt');
    return '';
  });
  found.text = readDirectives(rest).verbatim;
  return found;
}

/** Directives for the prompt of a child, `index` from 1, to be put behind it. */
export function wordsForChild(
  { children }: Pick<TalkDirectives, 'children'>,
  index: number,
  part: ChildPart = 'picture',
): string {
  return children
    .filter((rule) => rule.part === part && (rule.index === null || rule.index === index))
    .map((rule) => ` [[${rule.words}]]`)
    .join('');
}
