import { Link } from '@remix-run/react';
import { FilterFold } from '#app/components/ui/filter-fold.tsx';
import { useT } from '#app/lib/language.tsx';
import { statesTexts } from '#app/locales/states.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import { LIST_STATES, TASK_KINDS } from '#server/generation/status.ts';
import classes from './task-list.module.css';
import { type WorkbenchQuery, workbenchHref } from './workbench-query.ts';

type TaskFiltersProps = { query: WorkbenchQuery; params: URLSearchParams };

/** Filters of the list, in the address: plain links that keep the composer as it is. A phone folds them away. */
export function TaskFilters({ query, params }: TaskFiltersProps) {
  const t = useT(tasksTexts);
  const states = useT(statesTexts);
  const kind = query.kind ? states(`kinds.${query.kind}`) : t('filters.allKinds');
  const chosen = query.state ? `${kind} · ${t(`filters.${query.state}`)}` : kind;
  return (
    <>
      <FilterFold>{t('filters.fold', { chosen })}</FilterFold>
      <div className={classes.filters}>
        <FilterGroup
          label={t('filters.kind')}
          name="kind"
          chosen={query.kind}
          options={[
            { value: undefined, label: t('filters.allKinds') },
            ...TASK_KINDS.map((value) => ({ value, label: states(`kinds.${value}`) })),
          ]}
          params={params}
        />
        <FilterGroup
          label={t('filters.state')}
          name="state"
          chosen={query.state}
          options={[
            { value: undefined, label: t('filters.all') },
            ...LIST_STATES.map((value) => ({ value, label: t(`filters.${value}`) })),
          ]}
          params={params}
        />
      </div>
    </>
  );
}

type FilterGroupProps = {
  label: string;
  name: 'kind' | 'state';
  chosen: string | undefined;
  options: { value: string | undefined; label: string }[];
  params: URLSearchParams;
};

function FilterGroup({ label, name, chosen, options, params }: FilterGroupProps) {
  return (
    <nav aria-label={label} className={classes.filterGroup}>
      {options.map(({ value, label: text }) => (
        <Link
          key={text}
          to={workbenchHref(params, { [name]: value, cursor: null })}
          preventScrollReset
          className={classes.filter}
          aria-current={value === chosen ? 'true' : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
