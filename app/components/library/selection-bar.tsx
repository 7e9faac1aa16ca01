import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { Columns2, Download, FolderMinus, FolderPlus, RotateCcw, Star, Trash2 } from 'lucide-react';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import type { CollectionView, LibraryFilter } from '#server/library/schemas.ts';
import classes from './library.module.css';

type SelectionBarProps = {
  filter: LibraryFilter;
  collections: readonly CollectionView[];
  /** How many are chosen; null before scripts have taken over, when nobody knows. */
  chosen: number | null;
  allChosen: boolean;
  onChooseAll: (all: boolean) => void;
};

/**
 * What can be done with the files that are chosen, always there so that nothing moves when the first one is. Its buttons
 * submit the form that the files stand in.
 */
export function SelectionBar({ filter, collections, chosen, allChosen, onChooseAll }: SelectionBarProps) {
  const t = useT(libraryTexts);
  const none = chosen === 0;
  return (
    <fieldset className={classes.bar}>
      <legend className={classes.hidden}>{t('selection.label')}</legend>
      <div className={classes.barCount}>
        {chosen === null ? null : (
          <Checkbox
            size="sm"
            label={t('selection.all')}
            checked={allChosen}
            indeterminate={chosen > 0 && !allChosen}
            onChange={(event) => onChooseAll(event.currentTarget.checked)}
          />
        )}
        <span aria-live="polite" className={classes.barWords}>
          {chosen ? t('selection.count', { count: chosen }) : t('selection.none')}
        </span>
      </div>
      <div className={classes.barButtons}>
        {filter.trash ? (
          <>
            <BarButton intent="restore" disabled={none} Icon={RotateCcw} label={t('selection.restore')} />
            <BarButton intent="delete" disabled={none} Icon={Trash2} label={t('selection.delete')} />
          </>
        ) : (
          <>
            <BarButton
              intent="download"
              formAction="/files/library.zip"
              disabled={none}
              Icon={Download}
              label={t('selection.download')}
            />
            <BarButton intent="favorite" disabled={none} Icon={Star} label={t('selection.favorite')} />
            <BarButton
              intent="compare"
              disabled={chosen !== null && chosen !== 2}
              Icon={Columns2}
              label={t('selection.compare')}
            />
            <CollectionChoice filter={filter} collections={collections} disabled={none} />
            <BarButton intent="trash" disabled={none} Icon={Trash2} label={t('selection.trash')} />
          </>
        )}
      </div>
    </fieldset>
  );
}

type BarButtonProps = {
  intent: string;
  label: string;
  Icon: typeof Star;
  disabled: boolean;
  formAction?: string;
};

function BarButton({ intent, label, Icon, disabled, formAction }: BarButtonProps) {
  return (
    <Button
      type="submit"
      name="intent"
      value={intent}
      formAction={formAction}
      size="compact-sm"
      variant="default"
      disabled={disabled}
      leftSection={<Icon size={15} aria-hidden />}
    >
      {label}
    </Button>
  );
}

/** Adds to a collection; in a collection, moves to another one or takes out. */
function CollectionChoice({
  filter,
  collections,
  disabled,
}: Pick<SelectionBarProps, 'filter' | 'collections'> & { disabled: boolean }) {
  const t = useT(libraryTexts);
  const others = collections.filter(({ id }) => id !== filter.collection);
  return (
    <>
      {others.length > 0 ? (
        <span className={classes.barCollection}>
          <NativeSelect
            name="collection"
            size="xs"
            aria-label={t('selection.collection')}
            data={[
              { value: '', label: t('selection.choose') },
              ...others.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            disabled={disabled}
          />
          <BarButton
            intent={filter.collection ? 'move' : 'add'}
            disabled={disabled}
            Icon={FolderPlus}
            label={filter.collection ? t('selection.move') : t('selection.add')}
          />
        </span>
      ) : null}
      {filter.collection ? (
        <>
          <input type="hidden" name="from" value={filter.collection} />
          <BarButton
            intent="take-out"
            disabled={disabled}
            Icon={FolderMinus}
            label={t('selection.takeOut')}
          />
        </>
      ) : null}
    </>
  );
}
