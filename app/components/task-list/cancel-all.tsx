import { Button } from '@mantine/core';
import { Link, useFetcher } from '@remix-run/react';
import { CircleSlash } from 'lucide-react';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { useT } from '#app/lib/language.tsx';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { CancelAllView } from '#server/generation/schemas.ts';
import { cancelAllWords } from './cancel-all-words.ts';
import classes from './task-list.module.css';

const CANCEL_ALL_HREF = '/workbench/cancel-all';

/** What the route answers a form of a page with scripts. */
export type CancelAllReply = { answers: CancelAllView } | { error: string };

/** Cancels everything under way, after one more question: in place, or without a script on a page of its own. */
export function CancelAll({ active }: { active: boolean }) {
  const t = useT(tasksTexts);
  const hydrated = useHydrated();
  const fetcher = useFetcher<CancelAllReply>();
  const said =
    fetcher.data && ('error' in fetcher.data ? fetcher.data.error : cancelAllWords(t, fetcher.data.answers));
  const look = {
    size: 'compact-sm',
    variant: 'default',
    leftSection: <CircleSlash size={14} aria-hidden />,
  } as const;
  return (
    <>
      {!active ? null : hydrated ? (
        <fetcher.Form method="post" action={CANCEL_ALL_HREF}>
          <ConfirmButton
            {...look}
            name="intent"
            value="stay"
            confirmLabel={t('cancelAll.confirm')}
            loading={fetcher.state !== 'idle'}
          >
            {t('cancelAll.label')}
          </ConfirmButton>
        </fetcher.Form>
      ) : (
        <Button component={Link} to={CANCEL_ALL_HREF} {...look}>
          {t('cancelAll.label')}
        </Button>
      )}
      <p role="status" className={classes.note}>
        {fetcher.state === 'idle' ? said : ''}
      </p>
    </>
  );
}
