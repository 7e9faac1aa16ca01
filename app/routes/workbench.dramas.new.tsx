import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react';
import { PencilOff } from 'lucide-react';
import { KindTabs } from '#app/components/composer/kind-tabs.tsx';
import { promptApi } from '#app/components/composer/prompt-api.ts';
import { askOrderQuote } from '#app/components/drama/ask-drama.ts';
import type { DocumentAnswer } from '#app/components/drama/document-upload.tsx';
import { DRAMA_DRAFT, DramaComposer } from '#app/components/drama/drama-composer.tsx';
import { type DramaFormReply, lostReply, submitDramaForm } from '#app/components/drama/drama-form.ts';
import { modelsForDrama } from '#app/components/drama/model-choice.tsx';
import { readDocumentForm } from '#app/components/drama/read-document-form.ts';
import { clearDraft } from '#app/components/drama/use-form-draft.ts';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { newRequestKey } from '#app/lib/request-key.ts';
import { isLoginPath } from '#app/lib/safe-redirect.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import classes from './workbench.dramas.module.css';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${dramaTexts.in(languageOf(matches))('new.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const models = await loadOrThrow(request, context.trpc.generation.models());
  return { models: modelsForDrama(models), requestKey: newRequestKey() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  if (form.get('intent') === 'read') {
    const read = await readDocumentForm(form, (input) => context.trpc.dramas.readDocument(input));
    if (read.unexpected !== undefined) context.reportError?.(read.unexpected);
    return data<DocumentAnswer>(read.answer, read.status);
  }
  const result = await submitDramaForm(form, (input) => context.trpc.dramas.submit(input));
  if (result.ok) throw redirect(`/workbench/dramas/${result.taskId}`, 303);
  if (result.unexpected !== undefined) context.reportError?.(result.unexpected);
  return data<DramaFormReply>(result.answer, result.status);
}

/** A success leaves by a redirect: only then is the draft not needed any more. */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  const isDocument = (await request.clone().formData()).get('intent') === 'read';
  try {
    return await serverAction<DramaFormReply | DocumentAnswer>();
  } catch (error) {
    if (error instanceof Response) {
      const location = error.headers.get('location');
      if (location !== null && !isLoginPath(location)) clearDraft(DRAMA_DRAFT);
      throw error;
    }
    return isDocument ? { documentError: 'The answer did not arrive. Choose the file again.' } : lostReply();
  }
}

export default function NewDrama() {
  const t = useT(dramaTexts);
  const { models, requestKey } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const reply = answer !== undefined && 'form' in answer ? answer : undefined;
  const missing = models.storyboard.length === 0 ? 'noLanguage' : 'noImage';

  return (
    <div className={classes.composer}>
      <PageHeader title={t('new.title')}>{t('new.lead')}</PageHeader>
      <div className={classes.kinds}>
        <KindTabs kind="drama" hrefFor={(make) => `/workbench?make=${make}`} />
      </div>
      {models.storyboard.length > 0 && models.picture.length > 0 ? (
        <Panel>
          <DramaComposer
            models={models}
            requestKey={requestKey}
            reply={reply}
            askQuote={askOrderQuote}
            promptApi={promptApi}
          />
        </Panel>
      ) : (
        <EmptyState icon={PencilOff} title={t(`new.${missing}`)}>
          {t('new.ask')}
        </EmptyState>
      )}
    </div>
  );
}
