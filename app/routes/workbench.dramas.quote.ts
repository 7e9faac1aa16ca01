import type { ActionFunctionArgs } from '@remix-run/node';
import type { PlanQuoteAnswer } from '#app/components/drama/plan-quote-answer.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';
import { dramaQuoteInput } from '#server/generation/drama/schemas.ts';

/** The price of a storyboard while it is edited. Nothing changes, but a storyboard is too long for an address. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  const input = dramaQuoteInput.safeParse(await request.json().catch(() => null));
  if (!input.success) return answer({ error: 'This storyboard has no price: it is not complete.' }, 400);
  try {
    return answer({ quote: await context.trpc.dramas.quote(input.data) }, 200);
  } catch (error) {
    const view = readTrpcError(error);
    if (!view) throw error;
    return answer({ error: view.message }, view.status);
  }
}

function answer(body: PlanQuoteAnswer, status: number): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}
