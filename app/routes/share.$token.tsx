import { Button } from '@mantine/core';
import { data, type HeadersFunction, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Download, Unlink } from 'lucide-react';
import { OutputStage } from '#app/components/library/output-stage.tsx';
import classes from '#app/components/library/viewer.module.css';
import { shorten } from '#app/components/media/output-player.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import type { SharedOutputView } from '#server/library/schemas.ts';

type Open = Extract<SharedOutputView, { state: 'open' }>;

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => {
  const t = libraryTexts.in(languageOf(matches));
  const shared = loaded?.shared;
  const robots = { name: 'robots', content: 'noindex, nofollow' };
  if (shared?.state !== 'open') return [{ title: `${t('shared.goneTitle')} · Sidelane` }, robots];
  const title = shared.prompt
    ? shorten(shared.prompt, 70)
    : t('shared.title', { kind: t(`shared.kind.${shared.kind}`) });
  const picture = shared.previewUrl ?? (shared.kind === 'image' ? shared.url : null);
  return [
    { title: `${title} · Sidelane` },
    robots,
    { name: 'description', content: t('shared.madeWith', { model: shared.modelTitle }) },
    { property: 'og:title', content: title },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: 'Sidelane' },
    ...(picture && loaded
      ? [
          { property: 'og:image', content: `${loaded.origin}${picture}` },
          { name: 'twitter:card', content: 'summary_large_image' },
        ]
      : []),
  ];
};

/** The address is the key: it goes neither to search engines nor to other sites. */
export const headers: HeadersFunction = () => ({
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'private, no-store',
});

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const shared = await loadOrThrow(request, context.trpc.shares.open({ token: params.token ?? '' }));
  const { origin } = new URL(request.url);
  return data({ shared, origin }, { status: shared.state === 'open' ? 200 : 410 });
}

/** One view is one look: nothing that happens on the page loads it again. */
export const shouldRevalidate = () => false;

export default function Share() {
  const { shared } = useLoaderData<typeof loader>();
  const t = useT(libraryTexts);
  if (shared.state === 'open') return <SharedFile shared={shared} />;
  return (
    <EmptyState
      icon={Unlink}
      title={t('shared.goneTitle')}
      action={
        <Button component={Link} to="/" variant="default">
          {t('shared.home')}
        </Button>
      }
    >
      {t('shared.gone')}
    </EmptyState>
  );
}

function SharedFile({ shared }: { shared: Open }) {
  const t = useT(libraryTexts);
  const format = useFormat();
  const title = t('shared.title', { kind: t(`shared.kind.${shared.kind}`) });
  return (
    <article className={classes.shared}>
      <PageHeader title={title} edge={t('shared.madeWith', { model: shared.modelTitle })} />
      <div className={classes.pageStage} data-kind={shared.kind}>
        <OutputStage file={shared} name={shared.prompt ? shorten(shared.prompt, 120) : title} />
      </div>
      <div className={classes.sharedFoot}>
        <span className={classes.dim}>
          {[
            shared.width && shared.height ? `${shared.width} × ${shared.height}` : null,
            shared.durationMs === null ? null : format.duration(shared.durationMs),
            format.bytes(shared.bytes),
          ]
            .filter(Boolean)
            .join(' · ')}
          {shared.expiresAt ? (
            <>
              {' · '}
              {t('shared.until')} <TimeAgo at={shared.expiresAt} style="absolute" />
            </>
          ) : null}
        </span>
        <Button
          component="a"
          href={`${shared.url}?download=1`}
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
        >
          {t('shared.download')}
        </Button>
      </div>
      {shared.prompt ? (
        <Panel title={t('shared.prompt')} id="prompt">
          <p className={classes.sharedPrompt}>{shared.prompt}</p>
        </Panel>
      ) : null}
    </article>
  );
}
