import { z } from 'zod';
import { BEHAVIOUR_TYPES, type Behaviour, type BehaviourType, behaviour } from './rules.ts';

/** Misbehaviour asked for inside a prompt, so that the demo and a browser can trigger it: `[[name:value,key=value]]`. */

/** Arguments without a name in a directive, in order: `[[unknown_status:odd,3]]`. */
const POSITIONAL: Partial<Record<BehaviourType, readonly string[]>> = {
  fail: ['code', 'message'],
  moderate: ['at'],
  incomplete: ['reason'],
  late_success: ['afterMs', 'shown'],
  hang: ['on'],
  drop_before_accept: ['times'],
  error_after_accept: ['status'],
  reject: ['status', 'code', 'message'],
  numeric_id: ['id'],
  rate_limit: ['retryAfterSeconds', 'times'],
  html: ['on', 'times'],
  server_error: ['status', 'times'],
  not_found: ['times'],
  unauthorized: ['times'],
  reset: ['times'],
  empty_poll: ['times'],
  truncated: ['on', 'times'],
  slow_reply: ['ms'],
  unknown_status: ['status', 'times'],
  status_word: ['status'],
  stuck: ['progress'],
  contradict: ['statuses'],
  delay: ['ms'],
  partial: ['deliver'],
  shorter: ['seconds'],
  no_artifact: ['times'],
  expired: ['status', 'times'],
  wrong_body: ['as'],
  wrong_mime: ['mime'],
  zero_bytes: ['times'],
  slow_drip: ['bytes', 'everyMs'],
  broken_download: ['afterBytes', 'times'],
  redirect: ['to'],
  webhook_duplicate: ['copies'],
  webhook_forged: ['how'],
  webhook_old: ['ageSeconds'],
};

/** Short names that people type. */
const ALIASES: Record<string, BehaviourType> = {
  drop: 'drop_after_accept',
  '5xx': 'error_after_accept',
  '502': 'error_after_accept',
  '429': 'rate_limit',
  '404': 'not_found',
  '401': 'unauthorized',
  late: 'late_success',
  no_url: 'no_artifact',
};

/** Name, meaning and positional arguments of every behaviour. */
export function describeBehaviours(): {
  type: BehaviourType;
  description: string;
  positional: readonly string[];
}[] {
  return behaviour.options.map((option) => {
    const type = option.shape.type.value;
    return { type, description: option.description ?? '', positional: POSITIONAL[type] ?? [] };
  });
}

const DIRECTIVE = /\[\[\s*([a-z0-9_-]+)\s*(?::([^\]]*))?\]\]/gi;

type Directives = {
  /** The prompt without its directives, and without the double blanks that they leave. */
  text: string;
  /** The same with every blank. */
  verbatim: string;
  behaviours: Behaviour[];
  /** One sentence per directive that is known but cannot be understood. */
  problems: string[];
};

function readArguments(type: BehaviourType, source: string | undefined): Record<string, unknown> {
  const values: Record<string, unknown> = { type };
  const names = [...(POSITIONAL[type] ?? [])];
  for (const part of (source ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)) {
    const named = /^([a-z]+)\s*=\s*(.*)$/i.exec(part);
    const name = named?.[1] ?? names.shift() ?? 'argument';
    values[name] = named?.[2] ?? part;
  }
  if (typeof values.statuses === 'string') values.statuses = values.statuses.split('|');
  return values;
}

/** Takes the directives out of a prompt. Words in double brackets that name no behaviour stay text. */
export function readDirectives(prompt: string): Directives {
  const behaviours: Behaviour[] = [];
  const problems: string[] = [];
  const verbatim = prompt.replace(DIRECTIVE, (whole, name: string, source: string | undefined) => {
    const word = name.toLowerCase().replaceAll('-', '_');
    const type = ALIASES[word] ?? BEHAVIOUR_TYPES.find((item) => item === word);
    if (!type) return whole;
    const result = behaviour.safeParse(readArguments(type, source));
    if (result.success) behaviours.push(result.data);
    else
      problems.push(
        `The directive ${whole} is not usable: ${z.prettifyError(result.error).replaceAll('\n', ' ')}`,
      );
    return '';
  });
  return { text: verbatim.replace(/[ \t]{2,}/g, ' ').trim(), verbatim, behaviours, problems };
}
