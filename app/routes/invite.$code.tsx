import { Anchor, Button, Group } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { data, redirect } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ArrowRight, Ticket } from 'lucide-react';
import { InviteTermsList } from '#app/components/money/invite-terms-list.tsx';
import classes from '#app/components/money/money.module.css';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow, readTrpcError } from '#app/lib/trpc-errors.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { InviteLanding } from '#server/invites/schemas.ts';
import { inviteCodeInput } from '#server/invites/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data: loaded, matches }) => {
  const t = moneyTexts.in(languageOf(matches));
  const name = loaded?.landing?.inviterName;
  return [
    { title: `${name ? t('invite.invites', { name }) : t('invite.title')} · Sidelane` },
    { name: 'robots', content: 'noindex' },
  ];
};

/** Who reads it, and so what they may do with the code. `own`: it is theirs. */
type Reader = 'guest' | 'may-bind' | 'own' | 'too-late';

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const landing = await findLanding(context.trpc.invites.landing({ code: params.code ?? '' }));
  const signedIn = context.user !== null;
  if (!landing) return data({ landing: null, reader: 'guest' as Reader, signedIn }, 404);
  if (!signedIn) return data({ landing, reader: 'guest' as Reader, signedIn });
  const mine = await loadOrThrow(request, context.trpc.invites.mine());
  const reader: Reader = mine.code === landing.code ? 'own' : mine.mayBind ? 'may-bind' : 'too-late';
  return data({ landing, reader, signedIn });
}

/** Null for a code that nobody invites with, also for one that is no code. */
async function findLanding(call: Promise<InviteLanding>): Promise<InviteLanding | null> {
  try {
    return await call;
  } catch (error) {
    const status = readTrpcError(error)?.status;
    if (status === 404 || status === 400) return null;
    throw error;
  }
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'bind',
    schema: inviteCodeInput,
    run: async (input) => {
      await context.trpc.invites.bind(input);
      return redirect('/invites');
    },
  });
}

export default function Invite() {
  const { landing, reader, signedIn } = useLoaderData<typeof loader>();
  const t = useT(moneyTexts);
  if (!landing) return <UnknownCode signedIn={signedIn} />;
  const { terms, inviterName } = landing;
  return (
    <>
      <PageHeader title={t('invite.invites', { name: inviterName })} edge={t('invite.edge')}>
        {t('invite.lead')}
      </PageHeader>
      <div className={classes.sections}>
        <Panel title={t('invite.get')} id="get">
          {terms.open ? (
            <InviteTermsList terms={terms} side="invitee" />
          ) : (
            <p className={classes.text}>{t('invite.noReward', { name: inviterName })}</p>
          )}
        </Panel>
        <ActionErrors intents={['bind']} />
        <NextStep code={landing.code} inviterName={inviterName} reader={reader} />
      </div>
    </>
  );
}

function NextStep({ code, inviterName, reader }: { code: string; inviterName: string; reader: Reader }) {
  const t = useT(moneyTexts);
  switch (reader) {
    case 'guest':
      return (
        <Group gap="sm">
          <Button
            component={Link}
            to={`/signup?invite=${code}`}
            size="md"
            rightSection={<ArrowRight size={18} aria-hidden="true" />}
          >
            {t('invite.signUp')}
          </Button>
          <Button component={Link} to={`/login?next=/invite/${code}`} size="md" variant="default">
            {t('invite.signIn')}
          </Button>
        </Group>
      );
    case 'may-bind':
      return (
        <ActionForm intent="bind" values={{ code }}>
          <SubmitButton size="md">{t('invite.accept', { name: inviterName })}</SubmitButton>
        </ActionForm>
      );
    case 'own':
      return (
        <p className={classes.text}>
          {t('invite.own')}{' '}
          <Anchor component={Link} to="/invites" inherit underline="always">
            {t('invite.ownBack')}
          </Anchor>
        </p>
      );
    case 'too-late':
      return (
        <p className={classes.text}>
          {t('invite.late')}{' '}
          <Anchor component={Link} to="/workbench" inherit underline="always">
            {t('invite.lateOn')}
          </Anchor>
        </p>
      );
  }
}

function UnknownCode({ signedIn }: { signedIn: boolean }) {
  const t = useT(moneyTexts);
  return (
    <>
      <PageHeader title={t('invite.unknown')} edge={t('invite.edge')} />
      <EmptyState
        icon={Ticket}
        title={t('invite.unknownTitle')}
        action={
          signedIn ? (
            <Button component={Link} to="/invites" variant="default">
              {t('invite.toYours')}
            </Button>
          ) : (
            <Group gap="sm" justify="center">
              <Button component={Link} to="/signup">
                {t('invite.signUp')}
              </Button>
              <Button component={Link} to="/" variant="default">
                {t('invite.seeWhat')}
              </Button>
            </Group>
          )
        }
      >
        {t('invite.unknownHelp')}
      </EmptyState>
    </>
  );
}
