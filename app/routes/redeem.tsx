import { Anchor, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { Trans } from 'react-i18next';
import { RedeemForm } from '#app/components/money/redeem-form.tsx';
import { RedeemedNotice } from '#app/components/money/redeemed-notice.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readText } from '#app/lib/read-query.ts';
import { requireUser } from '#app/lib/require-user.ts';
import { moneyTexts } from '#app/locales/money.ts';
import { redeemInput } from '#server/billing/redeem/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${moneyTexts.in(languageOf(matches))('redeem.title')} · Sidelane` },
];

export function loader({ request, context }: LoaderFunctionArgs) {
  requireUser(context, request);
  return { code: readText(request.url, 'code', 60) ?? '' };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'redeem',
    schema: redeemInput,
    run: async (input) => ({ redeemed: await context.trpc.billing.redeem(input) }),
  });
}

export default function Redeem() {
  const { code } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const t = useT(moneyTexts);
  const redeemed = answer && 'redeemed' in answer ? answer.redeemed : null;
  return (
    <>
      <PageHeader title={t('redeem.title')} edge={t('redeem.edge')}>
        <Trans
          t={t}
          i18nKey="redeem.lead"
          components={{ a: <Anchor component={Link} to="/credits" underline="always" /> }}
        />
      </PageHeader>
      <Panel>
        <Stack gap="lg">
          {redeemed ? <RedeemedNotice redeemed={redeemed} /> : null}
          {/* Another code starts from an empty form. */}
          <RedeemForm key={redeemed ? 'next' : 'first'} code={redeemed ? '' : code} />
        </Stack>
      </Panel>
    </>
  );
}
