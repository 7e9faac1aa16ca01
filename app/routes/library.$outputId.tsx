import { Button } from '@mantine/core';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData, useNavigate } from '@remix-run/react';
import { ChevronLeft, ChevronRight, Columns2, Download, RotateCcw, Star, Trash2 } from 'lucide-react';
import { useEffect } from 'react';
import { CollectionsPanel } from '#app/components/library/collections-panel.tsx';
import { FollowUpLinks } from '#app/components/library/follow-up-links.tsx';
import { compareHref } from '#app/components/library/library-grid.tsx';
import { libraryHref, outputHref } from '#app/components/library/library-query.ts';
import { tileName } from '#app/components/library/library-tile.tsx';
import { OutputDetails } from '#app/components/library/output-details.tsx';
import { OutputStage } from '#app/components/library/output-stage.tsx';
import { readLibraryFilter } from '#app/components/library/read-library-query.server.ts';
import { runSelection, type SelectionReply } from '#app/components/library/selection-intents.ts';
import { SharePanel } from '#app/components/library/share-panel.tsx';
import classes from '#app/components/library/viewer.module.css';
import { shorten } from '#app/components/media/output-player.tsx';
import { BackLink } from '#app/components/ui/back-link.tsx';
import { ErrorMessage, Notice } from '#app/components/ui/error-message.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { libraryTexts } from '#app/locales/library.ts';
import {
  createShareInput,
  type LibraryFilter,
  type LibraryOutputView,
  shareIdInput,
} from '#server/library/schemas.ts';
import { TRASH_DAYS } from '#server/library/shared.ts';

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => {
  const t = libraryTexts.in(languageOf(matches));
  return [{ title: `${loaded ? shorten(loaded.output.prompt, 60) : t('output.title')} · Sidelane` }];
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const url = new URL(request.url);
  const filter = readLibraryFilter(url.searchParams);
  const { library } = context.trpc;
  const [output, choices] = await loadOrThrow(
    request,
    Promise.all([library.get({ ...filter, outputId: params.outputId ?? '' }), library.choices()]),
  );
  return { output, collections: choices.collections, filter, origin: url.origin };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { shares, library } = context.trpc;
  switch (form.get('intent')) {
    case 'share':
      form.set('outputId', params.outputId ?? '');
      return runForm(request, form, {
        name: 'share',
        schema: createShareInput,
        run: async (input) => ({ shared: (await shares.create(input)).id }),
      });
    case 'revoke-share':
      return runForm(request, form, {
        name: 'revoke-share',
        schema: shareIdInput,
        run: async (input) => ({ revoked: (await shares.revoke(input)).id }),
      });
    default: {
      form.set('output', params.outputId ?? '');
      const { reply, status } = await runSelection(form, library);
      return data<SelectionReply>(reply, status);
    }
  }
}

export default function LibraryOutput() {
  const { output, collections, filter, origin } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const t = useT(libraryTexts);
  const name = tileName(t(`kind.${output.kind}`), output);
  const isTrashed = output.trashedAt !== null;
  return (
    <article aria-labelledby="output-heading">
      <BackLink to={libraryHref({ ...filter, trash: isTrashed || undefined })}>{t('viewer.back')}</BackLink>
      <h1 id="output-heading" className={classes.title}>
        {shorten(output.fullPrompt, 90)}
      </h1>
      <div className={classes.page}>
        <div className={classes.main}>
          {isTrashed ? <Notice tone="warning">{t('output.trashed', { days: TRASH_DAYS })}</Notice> : null}
          {answer && 'message' in answer ? <ErrorMessage message={answer.message} /> : null}
          <div className={classes.pageStage} data-kind={output.kind}>
            <OutputStage key={output.id} file={output} name={name} />
          </div>
          <PageBar output={output} filter={filter} />
        </div>
        <div className={classes.side}>
          {isTrashed ? null : <FollowUpLinks output={output} />}
          <OutputDetails output={output} />
          {isTrashed ? null : (
            <>
              <CollectionsPanel outputId={output.id} inside={output.collections} all={collections} />
              <SharePanel
                shares={output.shares}
                origin={origin}
                isMade={Boolean(answer && 'shared' in answer)}
              />
            </>
          )}
        </div>
      </div>
    </article>
  );
}

/** On and back in the list, and what can be done with the file. */
function PageBar({ output, filter }: { output: LibraryOutputView; filter: LibraryFilter }) {
  const t = useT(libraryTexts);
  const previous = output.previousId && outputHref(output.previousId, filter);
  const next = output.nextId && outputHref(output.nextId, filter);
  useArrowKeys(previous, next);
  const isTrashed = output.trashedAt !== null;
  return (
    <div className={classes.pageBar}>
      <StepLink to={previous} label={t('viewer.previous')} Icon={ChevronLeft} />
      <StepLink to={next} label={t('viewer.next')} Icon={ChevronRight} />
      <div className={classes.pageBarEnd}>
        {isTrashed || !output.nextId ? null : (
          <Button
            component={Link}
            to={compareHref([output.id, output.nextId])}
            variant="default"
            leftSection={<Columns2 size={16} aria-hidden />}
          >
            {t('output.compareNext')}
          </Button>
        )}
        <Button
          component="a"
          href={`${output.url}?download=1`}
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
        >
          {t('viewer.download')}
        </Button>
        <Form method="post" preventScrollReset className={classes.pageBarEnd}>
          {isTrashed ? (
            <Button
              type="submit"
              name="intent"
              value="restore"
              leftSection={<RotateCcw size={16} aria-hidden />}
            >
              {t('selection.restore')}
            </Button>
          ) : (
            <>
              <Button
                type="submit"
                name="intent"
                value={output.isFavorite ? 'unfavorite' : 'favorite'}
                variant="default"
                leftSection={
                  <Star size={16} aria-hidden fill={output.isFavorite ? 'currentColor' : 'none'} />
                }
              >
                {output.isFavorite ? t('viewer.unfavorite') : t('viewer.favorite')}
              </Button>
              <Button
                type="submit"
                name="intent"
                value="trash"
                variant="default"
                leftSection={<Trash2 size={16} aria-hidden />}
              >
                {t('output.trash')}
              </Button>
            </>
          )}
        </Form>
      </div>
    </div>
  );
}

function StepLink({ to, label, Icon }: { to: string | null; label: string; Icon: typeof ChevronLeft }) {
  if (to === null) {
    return (
      <Button variant="default" disabled aria-label={label} px="sm">
        <Icon size={18} aria-hidden />
      </Button>
    );
  }
  return (
    <Button component={Link} to={to} preventScrollReset variant="default" aria-label={label} px="sm">
      <Icon size={18} aria-hidden />
    </Button>
  );
}

/** Arrow keys go on and back, unless they belong to a field, a player or a picture that is zoomed in. */
function useArrowKeys(previous: string | null, next: string | null): void {
  const navigate = useNavigate();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (
        event.altKey ||
        event.ctrlKey ||
        event.metaKey ||
        target?.closest('input, select, textarea, video, audio, [data-zoomed]')
      )
        return;
      const to = event.key === 'ArrowLeft' ? previous : event.key === 'ArrowRight' ? next : null;
      if (to) navigate(to, { preventScrollReset: true });
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [previous, next, navigate]);
}
