import { AppError } from '#server/lib/app-error.ts';
import { importOutput } from '#server/storage/import-output.ts';
import { getUploads } from '#server/storage/queries.ts';
import { CompositeLost, startChild } from '../composite/start-child.ts';
import { type AgentRun, endSteps, freeCredits, listMade } from './agent-run.ts';
import type { AgentStep, CallResult } from './agent-step.ts';
import { describeOutput, quoteData } from './describe-output.ts';
import { readText } from './read-text.ts';

/** Characters of a text that the model is shown. */
const MAX_READ_CHARACTERS = 20_000;

/** Starts what is planned. What cannot be started ends with the reason, and the model is told. */
export async function startMakes(run: AgentRun, keys: readonly string[]): Promise<void> {
  for (const make of find(run, keys, 'make')) await startMake(run, make);
}

async function startMake(run: AgentRun, make: AgentStep<'make'>): Promise<void> {
  const { makes, order } = make.input;
  const { images, ...rest } = order;
  const found = await toUploads(run, images);
  if ('problem' in found) return refuse(run, make, found.problem);
  const started = await startChild(run, {
    stepKey: make.key,
    paidBy: 'parent',
    order: { ...rest, kind: makes, references: found.uploads },
    // A person who was asked has said yes to this price.
    mostCredits: run.settings.approval === 'none' ? undefined : make.input.costCredits,
  });
  switch (started.type) {
    case 'started':
    case 'not_planned':
      return;
    case 'lost':
      throw new CompositeLost();
    case 'over_budget':
      return refuse(
        run,
        make,
        `It costs ${started.neededCredits} credits, and ${await freeCredits(run)} are free.`,
      );
    case 'refused':
      return refuse(run, make, started.message);
  }
}

function refuse(run: AgentRun, make: AgentStep<'make'>, problem: string): Promise<void> {
  const result = { told: `Not made, nothing was charged: ${problem}`, problem };
  return endSteps(run, [{ key: make.key, from: ['planned'], to: 'failed', result }]);
}

/** Pictures by id as uploads: outputs of this run and references of the order, nothing else, whatever the id names. */
async function toUploads(
  run: AgentRun,
  ids: readonly string[],
): Promise<{ uploads: string[] } | { problem: string }> {
  const { userId } = run.claimed.task;
  const made = listMade(run);
  const references = await getUploads(run.deps.db, userId, run.settings.references);
  const uploads: string[] = [];
  for (const id of ids) {
    const output = made.find((one) => one.id === id);
    const reference = references.find((one) => one.id === id);
    const mime = output?.mime ?? reference?.mime;
    if (mime === undefined) return { problem: unknownId(id) };
    if (!mime.startsWith('image/')) return { problem: `"${id}" is not a picture.` };
    if (reference) {
      uploads.push(id);
      continue;
    }
    try {
      uploads.push(await importOutput(run.deps, { userId, outputId: id }));
    } catch (error) {
      if (error instanceof AppError) return { problem: error.message };
      throw error;
    }
  }
  return { uploads };
}

const unknownId = (id: string): string =>
  `There is no output of this run and no reference with the id "${id}". Use an id as a result or the goal names it.`;

/** Writes what became of makes whose children have ended. */
export async function closeMakes(run: AgentRun, keys: readonly string[]): Promise<void> {
  const free = await freeCredits(run);
  await endSteps(
    run,
    find(run, keys, 'make').map((make) => {
      const result = resultOf(run, make, free);
      const to = result.problem === undefined ? ('done' as const) : ('failed' as const);
      return { key: make.key, from: ['running'] as const, to, result };
    }),
  );
}

function resultOf(run: AgentRun, make: AgentStep<'make'>, free: number): CallResult {
  const child = make.childTaskId === null ? undefined : run.children.get(make.childTaskId);
  const outputs = child?.outputs ?? [];
  const budget = `${free} credits of the budget are free.`;
  const edited = make.input.edited
    ? `The person has changed the arguments to: ${JSON.stringify(make.input.order)}\n`
    : '';
  if (outputs.length > 0) {
    const lines = outputs.map((output) => describeOutput(output)).join('\n');
    return {
      told: `${edited}Made:\n${lines}\nCharged ${child?.hold?.capturedCredits ?? 0} credits; ${budget}`,
    };
  }
  const problem = child?.failureMessage ?? 'It was cancelled before anything was delivered.';
  const charged = child?.hold?.capturedCredits ?? 0;
  const money = charged > 0 ? `${charged} credits were charged` : 'The credits came back';
  return { told: `${edited}Not made: ${problem} ${money}; ${budget}`, problem };
}

/** Looks at outputs of this run and at references; nothing else can be read, whatever the id names. */
export async function readOutputs(run: AgentRun, keys: readonly string[]): Promise<void> {
  for (const read of find(run, keys, 'read')) {
    const result = await lookAt(run, read.input.what);
    const to = result.problem === undefined ? ('done' as const) : ('failed' as const);
    await endSteps(run, [{ key: read.key, from: ['planned'], to, result }]);
  }
}

async function lookAt(run: AgentRun, id: string): Promise<CallResult> {
  const output = listMade(run).find((one) => one.id === id);
  if (output) {
    const facts = describeOutput(output);
    return { told: output.kind === 'text' ? await quoted(run, { ...output, facts }) : facts };
  }
  const isGiven = run.settings.references.includes(id);
  const [upload] = isGiven ? await getUploads(run.deps.db, run.claimed.task.userId, [id]) : [];
  if (!upload) {
    const problem = unknownId(id);
    return { told: `Refused: ${problem}`, problem };
  }
  const facts = `reference ${id} (${upload.mime}, ${upload.bytes} bytes)`;
  return { told: upload.mime === 'text/plain' ? await quoted(run, { ...upload, facts }) : facts };
}

async function quoted(
  run: AgentRun,
  file: { id: string; storageKey: string; bytes: number; facts: string },
): Promise<string> {
  // A character has 3 bytes at most, or 4 for two units.
  const text = await readText(run.deps, file, 3 * MAX_READ_CHARACTERS + 3);
  if (text === null) return `${file.facts}\nIts file is not there any more.`;
  return `${file.facts}\n${quoteData(file.id, text, MAX_READ_CHARACTERS)}`;
}

function find<K extends 'make' | 'read'>(run: AgentRun, keys: readonly string[], kind: K) {
  return run.agentSteps.filter(
    (step): step is Extract<AgentStep, { kind: K }> => step.kind === kind && keys.includes(step.key),
  );
}
