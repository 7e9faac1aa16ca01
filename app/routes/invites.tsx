import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { Users } from 'lucide-react';
import { Trans } from 'react-i18next';
import { BindForm } from '#app/components/money/bind-form.tsx';
import { InviteTable } from '#app/components/money/invite-table.tsx';
import { InviteTermsList } from '#app/components/money/invite-terms-list.tsx';
import { InvitedBy } from '#app/components/money/invited-by.tsx';
import classes from '#app/components/money/money.module.css';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { moneyTexts } from '#app/locales/money.ts';
import { inviteCodeInput } from '#server/invites/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${moneyTexts.in(languageOf(matches))('invites.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const mine = await loadOrThrow(request, context.trpc.invites.mine());
  return { mine, link: new URL(mine.path, request.url).href };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'bind',
    schema: inviteCodeInput,
    run: async (input) => ({ bound: await context.trpc.invites.bind(input) }),
  });
}

export default function Invites() {
  const { mine, link } = useLoaderData<typeof loader>();
  const t = useT(moneyTexts);
  const answer = useActionData<typeof action>();
  const bound = answer && 'bound' in answer ? answer.bound : null;
  const { terms, invites, invitedBy, mayBind, rewardsThisMonth } = mine;
  return (
    <>
      <PageHeader title={t('invites.title')} edge={t('invites.edge')}>
        {t('invites.lead')}
      </PageHeader>
      <div className={classes.sections}>
        {terms.open ? null : <Notice title={t('invites.off')}>{t('invites.offHelp')}</Notice>}
        <Panel title={t('invites.link')} id="link">
          <CopyField label={t('invites.linkLabel')} value={link} />
          <p className={classes.hint}>
            <Trans
              t={t}
              i18nKey="invites.orCode"
              values={{ code: mine.code }}
              components={{ code: <code /> }}
            />{' '}
            <Anchor component={Link} to={mine.path} underline="always">
              {t('invites.see')}
            </Anchor>
          </p>
        </Panel>
        {terms.open ? (
          <Panel title={t('invites.how')} id="how">
            <InviteTermsList terms={terms} side="inviter" />
            <p className={classes.hint}>
              {t('invites.month', { count: rewardsThisMonth, cap: terms.monthlyCap })}
            </p>
          </Panel>
        ) : null}
        <Panel title={t('invites.whom')} id="invited" flush>
          {invites.length > 0 ? (
            <InviteTable invites={invites} />
          ) : (
            <EmptyState icon={Users} title={t('invites.nobody')}>
              {t('invites.nobodyHelp')}
            </EmptyState>
          )}
        </Panel>
        {invitedBy ? (
          <Panel title={t('invites.by')} id="inviter">
            <InvitedBy invitedBy={invitedBy} justNow={bound !== null} />
          </Panel>
        ) : mayBind ? (
          <Panel title={t('invites.were')} id="were-you-invited" description={t('invites.wereHelp')}>
            <BindForm />
          </Panel>
        ) : null}
      </div>
    </>
  );
}
