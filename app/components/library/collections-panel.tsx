import { ActionIcon, Anchor, Button, NativeSelect } from '@mantine/core';
import { Form, Link } from '@remix-run/react';
import { FolderPlus, X } from 'lucide-react';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import type { CollectionView } from '#server/library/schemas.ts';
import classes from './library.module.css';
import { libraryHref } from './library-query.ts';

type CollectionsPanelProps = {
  outputId: string;
  /** Those that it is in. */
  inside: readonly { id: string; name: string }[];
  all: readonly CollectionView[];
};

/** The collections of one file. */
export function CollectionsPanel({ outputId, inside, all }: CollectionsPanelProps) {
  const t = useT(libraryTexts);
  const others = all.filter(({ id }) => !inside.some((each) => each.id === id));
  return (
    <Panel title={t('output.collections')} id="collections">
      <div className={classes.stack}>
        {inside.length > 0 ? (
          <ul className={classes.chips}>
            {inside.map(({ id, name }) => (
              <li key={id} className={classes.chip}>
                <Anchor component={Link} to={libraryHref({ collection: id })}>
                  {name}
                </Anchor>
                <Form method="post" preventScrollReset>
                  <input type="hidden" name="output" value={outputId} />
                  <input type="hidden" name="from" value={id} />
                  <ActionIcon
                    type="submit"
                    name="intent"
                    value="take-out"
                    variant="subtle"
                    color="gray"
                    size={24}
                    aria-label={t('output.remove', { name })}
                  >
                    <X size={14} aria-hidden />
                  </ActionIcon>
                </Form>
              </li>
            ))}
          </ul>
        ) : null}
        {others.length > 0 ? (
          <Form method="post" preventScrollReset className={classes.inlineForm}>
            <input type="hidden" name="output" value={outputId} />
            <NativeSelect
              name="collection"
              label={t('output.addTo')}
              data={others.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <Button
              type="submit"
              name="intent"
              value="add"
              variant="default"
              leftSection={<FolderPlus size={16} aria-hidden />}
            >
              {t('output.add')}
            </Button>
          </Form>
        ) : inside.length === 0 ? (
          <p className={classes.prompt}>
            {t('output.noCollections')}{' '}
            <Anchor component={Link} to="/library/collections" underline="always">
              {t('output.makeCollection')}
            </Anchor>
          </p>
        ) : null}
      </div>
    </Panel>
  );
}
