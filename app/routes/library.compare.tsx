import { Anchor } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Columns2 } from 'lucide-react';
import { useState } from 'react';
import { tileName } from '#app/components/library/library-tile.tsx';
import { OutputStage } from '#app/components/library/output-stage.tsx';
import classes from '#app/components/library/viewer.module.css';
import { FIT } from '#app/components/library/zoom-stage.tsx';
import { shorten } from '#app/components/media/output-player.tsx';
import { BackLink } from '#app/components/ui/back-link.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isUuid } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import type { LibraryOutputView } from '#server/library/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${libraryTexts.in(languageOf(matches))('compare.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const ids = new URL(request.url).searchParams.getAll('output').filter(isUuid).slice(0, 2);
  const outputs = await loadOrThrow(
    request,
    Promise.all(ids.map((outputId) => context.trpc.library.get({ outputId }))),
  );
  return { outputs };
}

export default function Compare() {
  const { outputs } = useLoaderData<typeof loader>();
  const [zoom, setZoom] = useState(FIT);
  const t = useT(libraryTexts);
  const [left, right] = outputs;
  return (
    <>
      <BackLink to="/library">{t('viewer.back')}</BackLink>
      <PageHeader title={t('compare.title')}>
        {left?.kind === 'image' && right?.kind === 'image' ? t('compare.lead') : null}
      </PageHeader>
      {left && right ? (
        <div className={classes.compare}>
          {[left, right].map((output, place) => (
            <ComparedFile
              key={output.id}
              output={output}
              side={place === 0 ? t('compare.left') : t('compare.right')}
              zoom={{ value: zoom, onChange: setZoom }}
            />
          ))}
        </div>
      ) : (
        <EmptyState icon={Columns2} title={t('compare.missing')} />
      )}
    </>
  );
}

function ComparedFile({
  output,
  side,
  zoom,
}: {
  output: LibraryOutputView;
  side: string;
  zoom: Parameters<typeof OutputStage>[0]['zoom'];
}) {
  const t = useT(libraryTexts);
  const format = useFormat();
  const facts = [
    output.model.title,
    output.width && output.height ? `${output.width} × ${output.height}` : null,
    format.bytes(output.bytes),
  ];
  return (
    <figure className={classes.compareFile}>
      <div className={classes.compareStage}>
        <OutputStage
          file={output}
          name={`${side}: ${tileName(t(`kind.${output.kind}`), output)}`}
          zoom={zoom}
        />
      </div>
      <figcaption className={classes.compareWords}>
        <Anchor component={Link} to={`/library/${output.id}`}>
          {shorten(output.fullPrompt, 160)}
        </Anchor>
        <br />
        <span className={classes.dim}>{facts.filter(Boolean).join(' · ')}</span>
      </figcaption>
    </figure>
  );
}
