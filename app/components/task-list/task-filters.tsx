import { Link } from '@remix-run/react';
import { KINDS } from '#server/generation/status.ts';
import classes from './task-list.module.css';
import { LIST_STATES, type WorkbenchQuery, workbenchHref } from './workbench-query.ts';

const KIND_LABELS = { image: 'Images', video: 'Videos', audio: 'Audio', text: 'Texts' } as const;
const STATE_LABELS = {
  active: 'Active',
  succeeded: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const;

type TaskFiltersProps = { query: WorkbenchQuery; params: URLSearchParams };

/** Filters of the list, in the address: plain links that keep the composer as it is. */
export function TaskFilters({ query, params }: TaskFiltersProps) {
  return (
    <div className={classes.filters}>
      <FilterGroup
        label="Filter by kind"
        name="kind"
        chosen={query.kind}
        options={[
          { value: undefined, label: 'All kinds' },
          ...KINDS.map((value) => ({ value, label: KIND_LABELS[value] })),
        ]}
        params={params}
      />
      <FilterGroup
        label="Filter by state"
        name="state"
        chosen={query.state}
        options={[
          { value: undefined, label: 'All' },
          ...LIST_STATES.map((value) => ({ value, label: STATE_LABELS[value] })),
        ]}
        params={params}
      />
    </div>
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
