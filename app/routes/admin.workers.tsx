import { Code, Stack } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { Radio } from 'lucide-react';
import { WorkerPanel } from '#app/components/admin/worker-panel.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';

export const meta: MetaFunction = () => [{ title: 'Workers · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { workers: await loadOrThrow(request, context.trpc.workers.list()) };
}

export default function Workers() {
  const { workers } = useLoaderData<typeof loader>();
  useAutoRefresh(10_000);
  return (
    <>
      <PageHeader title="Workers" edge="Side lane">
        Daemons that knock on the maintenance door. Without one, tasks go on only while somebody watches them.
      </PageHeader>
      {workers.length === 0 ? (
        <EmptyState icon={Radio} title="No worker has ever knocked">
          <p>
            Start one with <Code>npm run daemon</Code>, with the same <Code>MAINTENANCE_TOKEN</Code> as this
            server and <Code>SIDELANE_ORIGIN</Code> set to its address.
          </p>
        </EmptyState>
      ) : (
        <Stack>
          {workers.map((worker) => (
            <WorkerPanel key={worker.workerId} worker={worker} />
          ))}
        </Stack>
      )}
    </>
  );
}
