import { useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { statesTexts } from '#app/locales/states.ts';
import type { AdminTasksInput, TaskChoices } from '#server/generation/admin/schemas.ts';
import { STATUSES, TASK_KINDS } from '#server/generation/status.ts';
import { ChoiceFilter, DaysFilter, FilterForm, TextFilter } from './filter-form.tsx';

type TaskFiltersProps = { query: Omit<AdminTasksInput, 'limit' | 'ids'>; choices: TaskChoices };

/** What tasks are looked for by. */
export function TaskFilters({ query, choices }: TaskFiltersProps) {
  const t = useT(adminListsTexts);
  const states = useT(statesTexts);
  const named = (all: TaskChoices['models']) => all.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FilterForm
      csv="/admin/tasks.csv"
      sort={`${query.sort}.${query.order}`}
      sorts={[
        { value: 'submitted.desc', label: t('sorts.newest') },
        { value: 'submitted.asc', label: t('sorts.oldest') },
        { value: 'finished.desc', label: t('sorts.endedLast') },
        { value: 'finished.asc', label: t('sorts.endedFirst') },
        { value: 'due.asc', label: t('sorts.dueFirst') },
        { value: 'due.desc', label: t('sorts.dueLast') },
      ]}
    >
      <ChoiceFilter
        name="status"
        label={t('filters.status')}
        value={query.status ?? ''}
        options={STATUSES.map((value) => ({ value, label: states(`status.${value}`) }))}
      />
      <ChoiceFilter
        name="kind"
        label={t('filters.kind')}
        value={query.kind ?? ''}
        options={TASK_KINDS.map((value) => ({ value, label: states(`kind.${value}`) }))}
      />
      <ChoiceFilter
        name="model"
        label={t('filters.model')}
        value={query.modelId ?? ''}
        options={named(choices.models)}
      />
      <ChoiceFilter
        name="channel"
        label={t('filters.channel')}
        value={query.channelId ?? ''}
        options={named(choices.channels)}
      />
      <TextFilter name="who" label={t('tasks.who')} value={query.who} />
      <TextFilter name="upstream" label={t('tasks.upstream')} value={query.upstreamId} />
      <TextFilter name="prompt" label={t('tasks.prompt')} value={query.prompt} />
      <DaysFilter from={query.from ?? ''} to={query.to ?? ''} />
    </FilterForm>
  );
}
