import { Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { type Done, DoneNotice } from '#app/components/admin/operations/done-notice.tsx';
import classes from '#app/components/admin/operations/operations.module.css';
import { PolicyRow } from '#app/components/admin/operations/policy-row.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { deedName } from '#app/lib/deed.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import { POLICY_GROUPS, POLICY_KEYS, resetPolicyInput, setPolicyInput } from '#server/operations/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${operationsTexts.in(languageOf(matches))('policies.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { policies: await loadOrThrow(request, context.trpc.operations.policies()) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { operations } = context.trpc;
  switch (form.get('intent')) {
    case 'set-policy':
      return runDeed(
        { request, form },
        {
          intent: 'set-policy',
          idField: 'key',
          schema: setPolicyInput,
          run: operations.setPolicy,
          done: 'policySet' satisfies Done,
        },
      );
    case 'reset-policy':
      return runDeed(
        { request, form },
        {
          intent: 'reset-policy',
          idField: 'key',
          schema: resetPolicyInput,
          run: operations.resetPolicy,
          done: 'policyReset' satisfies Done,
        },
      );
    default:
      throw unknownForm();
  }
}

export default function Policies() {
  const t = useT(operationsTexts);
  const { policies } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={t('policies.title')} edge={t('edge')}>
        {t('policies.lead')}
      </PageHeader>
      <DoneNotice />
      <ActionErrors intents={POLICY_KEYS.map((key) => deedName('reset-policy', key))} />
      <Stack gap="xl">
        {POLICY_GROUPS.map((group) => (
          <Panel key={group} id={`policies-${group}`} title={t(`policies.groups.${group}`)} flush>
            <ul className={classes.policies}>
              {policies
                .filter((policy) => policy.group === group)
                .map((policy) => (
                  // A value that was set fills its field anew.
                  <PolicyRow key={`${policy.key}-${policy.value}`} policy={policy} />
                ))}
            </ul>
          </Panel>
        ))}
      </Stack>
    </>
  );
}
