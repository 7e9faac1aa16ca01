import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import {
  type ClientActionFunctionArgs,
  type ShouldRevalidateFunction,
  useActionData,
  useLoaderData,
  useRouteLoaderData,
  useSearchParams,
} from '@remix-run/react';
import { useMemo } from 'react';
import { ComposerPanel } from '#app/components/composer/composer-panel.tsx';
import { readPrefillInput } from '#app/components/composer/composer-query.ts';
import type { ComposerReply } from '#app/components/composer/composer-reply.ts';
import { lostReply } from '#app/components/composer/lost-reply.ts';
import { submitForm } from '#app/components/composer/submit-form.ts';
import { WaysOnProvider, waysOnOf } from '#app/components/media/ways-on.ts';
import { MadeNote } from '#app/components/task-list/made-note.tsx';
import { TaskFeed } from '#app/components/task-list/task-feed.tsx';
import {
  PAGE_SIZE,
  readWorkbenchQuery,
  sameList,
  workbenchHref,
} from '#app/components/task-list/workbench-query.ts';
import { composerHref } from '#app/components/ui/kind-looks.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { newRequestKey } from '#app/lib/request-key.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { answerInPlace } from '#app/lib/way-on.ts';
import { chooseLanguage, isLanguage } from '#app/locales/languages.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { loader as rootLoader } from '#app/root.tsx';
import { COMPOSITE_KINDS } from '#server/generation/status.ts';
import classes from './workbench.module.css';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${workbenchTexts.in(languageOf(matches))('title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const made = COMPOSITE_KINDS.find((each) => each === searchParams.get('make'));
  if (made) throw redirect(composerHref(made));
  const { kind, state, cursor } = readWorkbenchQuery(searchParams);
  const brought = readPrefillInput(searchParams);
  const [models, page, prefill] = await loadOrThrow(
    request,
    Promise.all([
      context.trpc.generation.models(),
      context.trpc.generation.list({ kind, state, cursor, limit: PAGE_SIZE }),
      brought ? context.trpc.prompts.prefill(brought) : null,
    ]),
  );
  return { models, page, prefill, requestKey: newRequestKey() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const models = await loadOrThrow(request, context.trpc.generation.models());
  const language = chooseLanguage({
    chosen: context.user?.language,
    cookieHeader: request.headers.get('cookie'),
    acceptLanguage: request.headers.get('accept-language'),
  });
  const result = await submitForm({
    form,
    models,
    submit: (input) => context.trpc.generation.submit(input),
    t: workbenchTexts.in(language),
  });
  if (result.ok) {
    const { kind, slug } = result.model;
    throw redirect(
      workbenchHref(new URLSearchParams(), { make: kind, model: slug, made: result.taskId }),
      303,
    );
  }
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<ComposerReply>(result.answer, result.status);
}

/** An answer that never arrives is no reason to lose the form: it stays, with its key. */
export async function clientAction({ serverAction }: ClientActionFunctionArgs) {
  const { lang } = document.documentElement;
  const t = workbenchTexts.in(isLanguage(lang) ? lang : 'en');
  return await answerInPlace(
    () => serverAction<ComposerReply>(),
    () => lostReply(t('errors.lost')),
  );
}

/** Choosing a kind or a model changes the form only; everything it needs is on the page. */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}) => (formMethod === undefined && sameList(currentUrl, nextUrl) ? false : defaultShouldRevalidate);

function sumOwed(debts: readonly { remainingCredits: number }[] = []): number {
  return debts.reduce((sum, debt) => sum + debt.remainingCredits, 0);
}

export default function Workbench() {
  const t = useT(workbenchTexts);
  const { models, page, prefill, requestKey } = useLoaderData<typeof loader>();
  const root = useRouteLoaderData<typeof rootLoader>('root');
  const reply = useActionData<ComposerReply>();
  const [params] = useSearchParams();
  const query = readWorkbenchQuery(params);
  const waysOn = useMemo(() => waysOnOf(models), [models]);

  return (
    <div className={classes.page}>
      <h1 className={classes.srOnly}>{t('title')}</h1>
      <section className={classes.composer} aria-label={t('newTask')}>
        <ComposerPanel
          models={models}
          params={params}
          prefill={prefill}
          requestKey={requestKey}
          reply={reply}
          user={root?.user}
          balanceCredits={root?.balance?.balanceCredits ?? 0}
          owedCredits={sumOwed(root?.balance?.debts)}
        >
          <MadeNote task={page.items.find((task) => task.id === query.made)} />
        </ComposerPanel>
      </section>
      <WaysOnProvider value={waysOn}>
        <TaskFeed page={page} requestKey={requestKey} />
      </WaysOnProvider>
    </div>
  );
}
