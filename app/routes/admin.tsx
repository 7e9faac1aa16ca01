import type { LoaderFunctionArgs } from '@remix-run/node';
import { Outlet, useLoaderData } from '@remix-run/react';
import { AdminNav } from '#app/components/admin/admin-nav.tsx';
import { readMoneyAttention } from '#app/lib/read-money-attention.ts';
import { requireAdmin } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

/** Others get the answer of an unknown page; every procedure behind these pages checks again. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  requireAdmin(context, request);
  const [tasks, money] = await loadOrThrow(
    request,
    Promise.all([context.trpc.adminTasks.attention(), readMoneyAttention(context)]),
  );
  return {
    waiting:
      tasks.uncertain.length + tasks.refunds.length + money.mismatches.length + money.moneyRefunds.length,
    moreWait: tasks.hasMore || money.hasMore,
  };
}

export default function AdminLayout() {
  const { waiting, moreWait } = useLoaderData<typeof loader>();
  return (
    <>
      <AdminNav waiting={waiting} moreWait={moreWait} />
      <Outlet />
    </>
  );
}
