import { Stack } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { CloseAccountPanel } from '#app/components/settings/close-account-panel.tsx';
import { ExportPanel } from '#app/components/settings/export-panel.tsx';
import { KeepingPanel, retentionForm } from '#app/components/settings/keeping-panel.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { accountTexts } from '#app/locales/account.ts';
import { closeAccountInput } from '#server/retention/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('data.title')} · Sidelane` },
];

export function loader({ request, context }: LoaderFunctionArgs) {
  return loadOrThrow(request, context.trpc.account.keeping());
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { account } = context.trpc;
  switch (form.get('intent')) {
    case 'set-retention':
      return runForm(request, form, {
        name: 'set-retention',
        schema: retentionForm,
        run: ({ days }) => account.setOutputRetention({ days: days ?? null }),
      });
    case 'close-account':
      return runForm(request, form, {
        name: 'close-account',
        schema: closeAccountInput,
        secrets: ['password'],
        run: async (input) => {
          await account.close(input);
          return redirect('/login?closed=1');
        },
      });
    default:
      throw unknownForm();
  }
}

export default function DataPage() {
  const { outputRetentionDays, beforeClosing } = useLoaderData<typeof loader>();
  const t = useT(accountTexts);
  return (
    <>
      <PageHeader title={t('data.title')} edge={t('settings.edge')}>
        {t('data.lead')}
      </PageHeader>
      <Stack gap="xl">
        <KeepingPanel days={outputRetentionDays} />
        <ExportPanel />
        <CloseAccountPanel before={beforeClosing} />
      </Stack>
    </>
  );
}
