import { Button, Stack } from '@mantine/core';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node';
import { Form, useActionData, useLoaderData } from '@remix-run/react';
import { LogOut } from 'lucide-react';
import { profileForm } from '#app/components/settings/profile-form.ts';
import { ProfilePanel } from '#app/components/settings/profile-panel.tsx';
import { ThemePanel } from '#app/components/settings/theme-panel.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { requireUser } from '#app/lib/require-user.ts';
import { accountTexts } from '#app/locales/account.ts';
import { languageCookie } from '#app/locales/languages.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('settings.edge')} · Sidelane` },
];

export function loader({ request, context }: LoaderFunctionArgs) {
  const user = requireUser(context, request);
  const known = Intl.supportedValuesOf('timeZone');
  const own = user.timeZone && !known.includes(user.timeZone) ? [user.timeZone] : [];
  return { user, timeZones: [...own, 'UTC', ...known] };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'profile',
    schema: profileForm,
    run: async ({ displayName, language = null, timeZone = null }) => {
      await context.trpc.auth.saveProfile({ displayName, language, timeZone });
      return data({ saved: true }, { headers: { 'set-cookie': languageCookie(language) } });
    },
  });
}

export default function ProfilePage() {
  const { user, timeZones } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const t = useT(accountTexts);
  return (
    <>
      <PageHeader
        title={t('profile.title')}
        edge={t('settings.edge')}
        actions={
          <Form method="post" action="/logout">
            <Button type="submit" variant="default" leftSection={<LogOut size={16} aria-hidden="true" />}>
              {t('settings.signOut')}
            </Button>
          </Form>
        }
      >
        {t('profile.lead')}
      </PageHeader>
      <Stack gap="xl">
        <ProfilePanel user={user} timeZones={timeZones} saved={answer !== undefined && 'saved' in answer} />
        <ThemePanel />
      </Stack>
    </>
  );
}
