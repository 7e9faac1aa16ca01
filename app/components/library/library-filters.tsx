import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { Search } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import { KINDS } from '#server/generation/status.ts';
import type { LibraryChoices, LibraryFilter } from '#server/library/schemas.ts';
import { MAKERS } from '#server/library/shared.ts';
import classes from './library.module.css';
import { isFiltered, libraryHref } from './library-query.ts';

type LibraryFiltersProps = { filter: LibraryFilter; choices: LibraryChoices };

/** Filters of the library, in the address: links for the kinds, a form for the rest. Both work without a script. */
export function LibraryFilters({ filter, choices }: LibraryFiltersProps) {
  const t = useT(libraryTexts);
  const { kind: _kind, trash } = filter;
  return (
    <div className={classes.filters}>
      <nav aria-label={t('filters.kindLabel')} className={classes.kinds}>
        {[undefined, ...KINDS].map((kind) => (
          <Link
            key={kind ?? 'all'}
            to={libraryHref({ ...filter, kind })}
            preventScrollReset
            className={classes.kind}
            aria-current={kind === filter.kind ? 'true' : undefined}
          >
            {t(`kinds.${kind ?? 'all'}`)}
          </Link>
        ))}
      </nav>
      {/* A new form for new filters: its fields keep no values of the filters before. */}
      <Form
        key={libraryHref(filter)}
        method="get"
        action="/library"
        role="search"
        aria-label={t('filters.label')}
        className={classes.search}
      >
        {filter.kind ? <input type="hidden" name="kind" value={filter.kind} /> : null}
        {trash ? <input type="hidden" name="trash" value="1" /> : null}
        <div className={classes.searchRow}>
          <TextInput
            name="text"
            type="search"
            aria-label={t('filters.text')}
            placeholder={t('filters.text')}
            defaultValue={filter.text ?? ''}
            maxLength={200}
            leftSection={<Search size={16} aria-hidden />}
            className={classes.searchText}
          />
          <Button type="submit" variant="default">
            {t('filters.apply')}
          </Button>
          {isFiltered(filter) ? (
            <Button component={Link} to={libraryHref({ trash })} variant="subtle" color="gray">
              {t('filters.clear')}
            </Button>
          ) : null}
        </div>
        <MoreFilters filter={filter} choices={choices} />
      </Form>
    </div>
  );
}

/** Open when one of them is set. */
function MoreFilters({ filter, choices }: LibraryFiltersProps) {
  const t = useT(libraryTexts);
  const { model, madeBy, from, to, collection, favorite } = filter;
  const isOpen = Boolean(model || madeBy || from || to || collection);
  return (
    <details className={classes.more} open={isOpen}>
      <summary className={classes.moreSummary}>{t('filters.more')}</summary>
      <div className={classes.moreFields}>
        <NativeSelect
          name="model"
          label={t('filters.model')}
          defaultValue={model ?? ''}
          data={[
            { value: '', label: t('filters.anyModel') },
            ...withChosen(choices.models, model).map(({ slug, title }) => ({ value: slug, label: title })),
          ]}
        />
        <NativeSelect
          name="madeBy"
          label={t('filters.madeBy')}
          defaultValue={madeBy ?? ''}
          data={[
            { value: '', label: t('filters.anyMaker') },
            ...MAKERS.map((maker) => ({ value: maker, label: t(`makers.${maker}`) })),
          ]}
        />
        <NativeSelect
          name="collection"
          label={t('filters.collection')}
          defaultValue={collection ?? ''}
          data={[
            { value: '', label: t('filters.anyCollection') },
            ...choices.collections.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <TextInput name="from" type="date" label={t('filters.from')} defaultValue={from ?? ''} />
        <TextInput name="to" type="date" label={t('filters.to')} defaultValue={to ?? ''} />
        <Checkbox
          name="favorite"
          value="1"
          label={t('filters.favorite')}
          defaultChecked={favorite ?? false}
          className={classes.favoriteOnly}
        />
      </div>
    </details>
  );
}

/** A model that is filtered by stays a choice though it was not used for long. */
function withChosen(models: LibraryChoices['models'], slug: string | undefined): LibraryChoices['models'] {
  return slug === undefined || models.some((model) => model.slug === slug)
    ? models
    : [...models, { slug, title: slug }];
}
