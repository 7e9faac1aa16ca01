import { Code, Stack } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { CircleCheck } from 'lucide-react';
import { AttentionList } from '#app/components/admin/attention-list.tsx';
import { AttentionRefunds } from '#app/components/admin/attention-refunds.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';
import classes from './admin.module.css';

export const meta: MetaFunction = () => [{ title: 'Needs attention · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { attention: await loadOrThrow(request, context.trpc.adminTasks.attention()) };
}

export default function Attention() {
  const { uncertain, refunds, hasMore } = useLoaderData<typeof loader>().attention;
  useAutoRefresh(15_000);
  return (
    <>
      <PageHeader title="Needs attention" edge="What waits for you">
        What only a person can find out. Nothing here is ever sent again by itself.
      </PageHeader>
      <Stack gap="xl">
        {hasMore ? (
          <Notice tone="warning">
            There are more than fit on this page. It shows the most urgent ones; the others follow as these
            end.
          </Notice>
        ) : null}
        {uncertain.length === 0 && refunds.length === 0 ? (
          <EmptyState icon={CircleCheck} title="Nothing waits for you">
            Every task that was sent has a known outcome or is on its way, and no refund is stuck.
          </EmptyState>
        ) : null}
        {uncertain.length > 0 ? (
          <section aria-labelledby="uncertain-heading">
            <h2 id="uncertain-heading" className={classes.heading}>
              Outcome unknown
            </h2>
            <p className={classes.lead}>
              Look for the job in the provider’s own records: by our reference where it is kept, else by time
              and model. Then give the job’s id, its result, or confirm that there is none.
            </p>
            <AttentionList items={uncertain} />
          </section>
        ) : null}
        {refunds.length > 0 ? (
          <Panel
            title="Refunds that need a hand"
            description={
              <>
                These credits are owed, and booking them failed too often. When the cause is gone, let the
                lane take them again: “Money” in <Code>docs/operations.md</Code> has the statement.
              </>
            }
            flush
          >
            <AttentionRefunds refunds={refunds} />
          </Panel>
        ) : null}
      </Stack>
    </>
  );
}
