import { Anchor, Button, TextInput } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData, useNavigation } from '@remix-run/react';
import { FolderOpen, FolderPlus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import classes from '#app/components/library/library.module.css';
import { LibraryNav } from '#app/components/library/library-nav.tsx';
import { libraryHref } from '#app/components/library/library-query.ts';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { refusalOf } from '#app/components/ui/refusal.tsx';
import { runForm } from '#app/lib/form.ts';
import { replyFor } from '#app/lib/form-reply.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { libraryTexts } from '#app/locales/library.ts';
import {
  type CollectionView,
  collectionIdInput,
  createCollectionInput,
  renameCollectionInput,
} from '#server/library/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${libraryTexts.in(languageOf(matches))('collections.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { collections } = await loadOrThrow(request, context.trpc.library.choices());
  return { collections };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { collections } = context.trpc.library;
  switch (form.get('intent')) {
    case 'create':
      return runForm(request, form, {
        name: 'create',
        schema: createCollectionInput,
        run: async (input) => ({ created: (await collections.create(input)).id }),
      });
    case 'rename':
      return runForm(request, form, {
        name: 'rename',
        schema: renameCollectionInput,
        run: (input) => collections.rename(input),
      });
    case 'remove':
      return runForm(request, form, {
        name: 'remove',
        schema: collectionIdInput,
        run: (input) => collections.remove(input),
      });
    default:
      throw unknownForm();
  }
}

export default function Collections() {
  const { collections } = useLoaderData<typeof loader>();
  const t = useT(libraryTexts);
  return (
    <>
      <PageHeader title={t('collections.title')} edge={t('title')}>
        {t('collections.lead')}
      </PageHeader>
      <LibraryNav />
      <div className={classes.stack}>
        <Panel title={t('collections.new')} id="new-collection">
          <NewCollection />
        </Panel>
        <ActionErrors intents={['rename', 'remove']} />
        {collections.length > 0 ? (
          <Panel title={t('collections.table')} id="your-collections" flush>
            <ul className={classes.collections}>
              {collections.map((collection) => (
                <CollectionRow key={collection.id} collection={collection} />
              ))}
            </ul>
          </Panel>
        ) : (
          <EmptyState icon={FolderOpen} title={t('collections.empty')}>
            {t('collections.emptyText')}
          </EmptyState>
        )}
      </div>
    </>
  );
}

function NewCollection() {
  const t = useT(libraryTexts);
  const answer = useActionData<typeof action>();
  const error = replyFor(answer, 'create')?.error;
  const form = useRef<HTMLFormElement>(null);
  const isIdle = useNavigation().state === 'idle';
  const made = answer && 'created' in answer ? answer.created : undefined;
  // Each new collection empties the field.
  useEffect(() => {
    if (isIdle && made) form.current?.reset();
  }, [isIdle, made]);
  return (
    <Form ref={form} method="post" preventScrollReset className={classes.inlineForm}>
      <TextInput
        name="name"
        label={t('collections.name')}
        required
        maxLength={80}
        error={refusalOf([...(error?.name ?? []), ...(error?.[''] ?? [])])}
        className={classes.searchText}
      />
      <Button type="submit" name="intent" value="create" leftSection={<FolderPlus size={16} aria-hidden />}>
        {t('collections.create')}
      </Button>
    </Form>
  );
}

function CollectionRow({ collection }: { collection: CollectionView }) {
  const t = useT(libraryTexts);
  const { id, name } = collection;
  return (
    <li>
      <span className={classes.collectionName}>
        <Anchor component={Link} to={libraryHref({ collection: id })}>
          {name}
        </Anchor>
        <span className={classes.collectionCount}>
          {t('collections.count', { count: collection.outputs })}
        </span>
      </span>
      <div className={classes.inlineForm}>
        <Form key={name} method="post" preventScrollReset className={classes.inlineForm}>
          <input type="hidden" name="collectionId" value={id} />
          <TextInput
            name="name"
            size="xs"
            aria-label={t('collections.renameName', { name })}
            defaultValue={name}
            required
            maxLength={80}
          />
          <Button type="submit" name="intent" value="rename" size="xs" variant="default">
            {t('collections.rename')}
          </Button>
        </Form>
        <Form method="post" preventScrollReset>
          <input type="hidden" name="collectionId" value={id} />
          <ConfirmButton
            name="intent"
            value="remove"
            size="xs"
            variant="default"
            confirmLabel={t('collections.deleteYes')}
            aria-label={t('collections.deleteName', { name })}
          >
            {t('collections.delete')}
          </ConfirmButton>
        </Form>
      </div>
    </li>
  );
}
