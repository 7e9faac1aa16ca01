import type { TFunction } from 'i18next';
import { workbenchHref } from '#app/components/task-list/workbench-query.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';
import { tasksTexts } from '#app/locales/tasks.ts';

type TaskProcedures = {
  cancel: (input: {
    taskId: string;
  }) => Promise<{ answer: 'cancelled' | 'requested' | 'unsupported' | 'finished' }>;
  retry: (input: { taskId: string; requestKey: string }) => Promise<{ taskId: string }>;
};

export type IntentResult = { redirectTo: string } | { error: string; status: number; unexpected?: unknown };

/** Runs one of a task's buttons. The way back is a workbench page, nothing else. */
export async function runTaskIntent(
  taskId: string,
  form: FormData,
  procedures: TaskProcedures,
  t: TFunction<'tasks'> = tasksTexts.in('en'),
): Promise<IntentResult> {
  const returnTo = safeReturn(form.get('returnTo'), taskId);
  try {
    switch (form.get('intent')) {
      case 'cancel': {
        const { answer } = await procedures.cancel({ taskId });
        if (answer === 'unsupported' || answer === 'finished') {
          return { error: t(`problem.${answer}`), status: 409 };
        }
        return { redirectTo: returnTo };
      }
      case 'retry': {
        const retried = await procedures.retry({ taskId, requestKey: String(form.get('requestKey') ?? '') });
        const fromList = !returnTo.startsWith('/workbench/tasks/');
        if (!fromList) return { redirectTo: `/workbench/tasks/${retried.taskId}` };
        // The newest tasks, where the new one is, with the composer as it was.
        const params = new URLSearchParams(returnTo.split('?')[1] ?? '');
        return {
          redirectTo: workbenchHref(params, { cursor: null, state: null, kind: null, made: retried.taskId }),
        };
      }
      default:
        return { error: t('problem.unknown'), status: 400 };
    }
  } catch (error) {
    const view = readTrpcError(error);
    if (view) return { error: view.message, status: view.status };
    return {
      error: t('problem.unexpected'),
      status: 500,
      unexpected: error,
    };
  }
}

function safeReturn(value: FormDataEntryValue | null, taskId: string): string {
  const target = typeof value === 'string' ? value : '';
  return /^\/workbench(\?[^\s\\]*)?$/.test(target) ? target : `/workbench/tasks/${taskId}`;
}
