import { Button, Group } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import { Form, Link, useActionData } from '@remix-run/react';
import type { CancelAllReply } from '#app/components/task-list/cancel-all.tsx';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { requireUser } from '#app/lib/require-user.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';
import { tasksTexts } from '#app/locales/tasks.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${tasksTexts.in(languageOf(matches))('cancelAll.title')} · Sidelane` },
];

export function loader({ request, context }: LoaderFunctionArgs) {
  requireUser(context, request);
  return null;
}

/** `stay`: the list's own button, which says what came of it in place. */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  try {
    const answers = await context.trpc.generation.cancelAll();
    if (form.get('intent') !== 'stay') throw redirect('/workbench', 303);
    return data<CancelAllReply>({ answers });
  } catch (error) {
    const view = readTrpcError(error);
    if (!view) throw error;
    return data<CancelAllReply>({ error: view.message }, view.status);
  }
}

/** The question before everything under way is cancelled, for pages without scripts. */
export default function CancelAllPage() {
  const t = useT(tasksTexts);
  const reply = useActionData<CancelAllReply>();
  return (
    <>
      <PageHeader title={t('cancelAll.title')}>{t('cancelAll.text')}</PageHeader>
      {reply && 'error' in reply ? <ErrorMessage message={reply.error} /> : null}
      <Form method="post">
        <Group>
          <Button component={Link} to="/workbench" variant="default">
            {t('cancelAll.keep')}
          </Button>
          <Button type="submit" color="red.9">
            {t('cancelAll.confirm')}
          </Button>
        </Group>
      </Form>
    </>
  );
}
