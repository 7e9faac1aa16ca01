import { randomBytes } from 'node:crypto';
import { hashText } from './media/seeded-random.ts';
import type { Behaviour, BehaviourOf, BehaviourType, FormatName, RuleMatch, SandboxKind } from './rules.ts';
import type { Attached, Rule, SandboxState } from './state.ts';

/** Which behaviours a create or job carries, and how often they still apply. */

function usesOf(behaviour: Behaviour): number {
  const times = 'times' in behaviour ? behaviour.times : 'always';
  return times === 'always' ? Number.POSITIVE_INFINITY : times;
}

function attach(behaviour: Behaviour, ruleId: string | null, scope: string): Attached {
  return { behaviour, left: usesOf(behaviour), ruleId, refusalKey: `${scope}:${behaviour.type}` };
}

function attachRule(rule: Rule): Attached[] {
  return rule.behaviours.map((item, index) => attach(item, rule.id, `${rule.id}:${index}`));
}

type Subject = {
  prompt: string;
  clientRef: string | null;
  kind: SandboxKind;
  format: FormatName;
  id?: string;
};

function ruleMatches(match: RuleMatch, subject: Subject): boolean {
  if (match.jobId !== undefined && match.jobId !== subject.id) return false;
  if (match.promptIncludes !== undefined && !subject.prompt.includes(match.promptIncludes)) return false;
  if (match.clientRef !== undefined && match.clientRef !== subject.clientRef) return false;
  if (match.format !== undefined && match.format !== subject.format) return false;
  return match.kind === undefined || match.kind === subject.kind;
}

/** Behaviours for a new create: of the rules in the order they were posted, then of the prompt's directives. */
export function attachForCreate(
  state: SandboxState,
  subject: Subject,
  directives: readonly Behaviour[],
): Attached[] {
  const attached: Attached[] = [];
  for (const rule of state.rules) {
    if (rule.left <= 0 || !ruleMatches(rule.match, subject)) continue;
    rule.left -= 1;
    rule.applied += 1;
    attached.push(...attachRule(rule));
  }
  const scope = `prompt:${hashText(subject.prompt)}`;
  return [...attached, ...directives.map((item, index) => attach(item, null, `${scope}:${index}`))];
}

export function addRule(
  state: SandboxState,
  input: { match: RuleMatch; behaviours: Behaviour[]; count?: number; existing?: boolean },
): Rule {
  const { any, ...narrow } = input.match;
  const onlyNext = any === true && Object.keys(narrow).length === 0;
  const rule: Rule = {
    id: `rule_${randomBytes(6).toString('hex')}`,
    match: input.match,
    behaviours: input.behaviours,
    left: input.count ?? (onlyNext ? 1 : Number.POSITIVE_INFINITY),
    applied: 0,
  };
  state.rules.push(rule);
  const existing = input.existing ?? (input.match.clientRef !== undefined || input.match.jobId !== undefined);
  if (existing) {
    for (const job of state.jobs.values()) {
      if (ruleMatches(rule.match, job)) job.behaviours.push(...attachRule(rule));
    }
  }
  return rule;
}

/** Removes one rule or all, also from the jobs that carry them: upstream is well again. */
export function removeRules(state: SandboxState, ruleId?: string): number {
  const before = state.rules.length;
  state.rules = ruleId ? state.rules.filter((rule) => rule.id !== ruleId) : [];
  for (const job of state.jobs.values()) {
    job.behaviours = job.behaviours.filter(
      (item) => item.ruleId === null || (ruleId !== undefined && item.ruleId !== ruleId),
    );
  }
  return before - state.rules.length;
}

/** A behaviour that is in force, without using it up. */
export function findBehaviour<T extends BehaviourType>(
  attached: readonly Attached[],
  type: T,
): BehaviourOf<T> | undefined {
  return attached.find((item) => item.behaviour.type === type && item.left > 0)?.behaviour as
    | BehaviourOf<T>
    | undefined;
}

/** The first behaviour in force that `applies`; uses it up once. */
export function takeBehaviour(
  attached: readonly Attached[],
  applies: (behaviour: Behaviour) => boolean,
): Behaviour | undefined {
  const found = attached.find((item) => item.left > 0 && applies(item.behaviour));
  if (!found) return undefined;
  found.left -= 1;
  return found.behaviour;
}

/** Like `takeBehaviour`, for creates that leave no job behind: counted per rule or prompt. */
export function takeRefusal(
  state: SandboxState,
  attached: readonly Attached[],
  applies: (behaviour: Behaviour) => boolean,
): Behaviour | undefined {
  for (const item of attached) {
    if (!applies(item.behaviour)) continue;
    const used = state.refusals.get(item.refusalKey) ?? 0;
    if (used >= usesOf(item.behaviour)) continue;
    state.refusals.set(item.refusalKey, used + 1);
    return item.behaviour;
  }
  return undefined;
}

/** After a create has passed, the directives of its prompt start over. */
export function forgetRefusals(state: SandboxState, attached: readonly Attached[]): void {
  for (const item of attached) if (item.ruleId === null) state.refusals.delete(item.refusalKey);
}
