import { failedIntent } from '#app/components/composite/composite-intents.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';
import {
  CAPTION_MODES,
  type DramaPlan,
  type DramaRedoInput,
  SHOT_PARTS,
  type ShotPart,
} from '#server/generation/drama/schemas.ts';
import type { DramaAnswer } from './drama-answer.ts';
import { planErrorsOf } from './plan-errors.ts';
import { redoField } from './redo-fields.ts';

type DramaProcedures = {
  savePlan(input: { taskId: string; planVersion: number; plan: DramaPlan }): Promise<{ planVersion: number }>;
  start(input: { taskId: string; planVersion: number; quotedCredits?: number }): Promise<unknown>;
  failedParts(input: {
    taskId: string;
    decision: 'retry' | 'finish_without';
    shotId?: string;
    part?: ShotPart;
  }): Promise<unknown>;
  redo(input: DramaRedoInput): Promise<{ taskId: string }>;
};

type DramaIntentResult =
  | { redirectTo: string }
  | { answer: DramaAnswer; status: number; unexpected?: unknown };

/** Runs one of the forms of a drama's page that are not shared with other composites. */
export async function runDramaIntent(
  taskId: string,
  form: FormData,
  dramas: DramaProcedures,
): Promise<DramaIntentResult> {
  const intent = textOf(form, 'intent') ?? '';
  const shotId = textOf(form, 'shotId');
  const here = `/workbench/dramas/${taskId}`;
  try {
    switch (intent) {
      case 'save': {
        const { planVersion } = await dramas.savePlan({
          taskId,
          planVersion: numberOf(form, 'planVersion') ?? 0,
          plan: readPlan(form),
        });
        return { answer: { intent, saved: { planVersion } }, status: 200 };
      }
      case 'start':
        await dramas.start({
          taskId,
          planVersion: numberOf(form, 'planVersion') ?? 0,
          quotedCredits: numberOf(form, 'quotedCredits'),
        });
        return { redirectTo: here };
      case 'retry':
      case 'finish_without':
        await dramas.failedParts({ taskId, decision: intent, shotId, part: partOf(textOf(form, 'part')) });
        return { redirectTo: here };
      case 'redo': {
        const order = readRedo(taskId, form);
        if (shotId !== undefined && order.redo.length === 0) {
          return { answer: { error: 'Choose what to make anew.', intent, shotId }, status: 400 };
        }
        const redone = await dramas.redo(order);
        return { redirectTo: `/workbench/dramas/${redone.taskId}` };
      }
      default:
        return { answer: { error: 'Choose what to do with this drama.' }, status: 400 };
    }
  } catch (error) {
    return { ...refusal(error, intent, shotId) };
  }
}

function refusal(
  error: unknown,
  intent: string,
  shotId: string | undefined,
): { answer: DramaAnswer; status: number; unexpected?: unknown } {
  const { error: message, status, unexpected } = failedIntent(error);
  const view = readTrpcError(error);
  const planErrors = planErrorsOf(view?.fieldErrors);
  return {
    status,
    unexpected,
    answer: {
      error: message,
      intent,
      shotId,
      ...(planErrors ? { planErrors } : {}),
      ...(view?.code === 'conflict' ? { conflict: true as const } : {}),
    },
  };
}

/** As the page had it; the procedure checks every part of it and names what is wrong. */
function readPlan(form: FormData): DramaPlan {
  try {
    return JSON.parse(textOf(form, 'plan') ?? '') as DramaPlan;
  } catch {
    return {} as DramaPlan;
  }
}

function readRedo(taskId: string, form: FormData): DramaRedoInput {
  const shotId = textOf(form, 'shotId');
  const parts = SHOT_PARTS.filter((part) => form.has(redoField(part)));
  return {
    taskId,
    redo:
      shotId === undefined
        ? []
        : parts.map((part) => ({ shotId, part, ...wordsOf(form, redoField(part, 'words')) })),
    captions: CAPTION_MODES.find((mode) => mode === form.get('captions')),
    quotedCredits: numberOf(form, 'quotedCredits'),
    requestKey: textOf(form, 'requestKey') ?? '',
  };
}

function wordsOf(form: FormData, name: string): { words?: string } {
  const words = form.get(name);
  return typeof words === 'string' && words.trim() !== '' ? { words } : {};
}

function partOf(value: string | undefined): ShotPart | undefined {
  return SHOT_PARTS.find((part) => part === value);
}

function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(form: FormData, name: string): number | undefined {
  const text = textOf(form, name);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
