import { connectControl } from '#scripts/sandbox/control-client.ts';
import { newId } from '#server/lib/ids.ts';
import { createClient, type SidelaneClient } from '#server/trpc/client.ts';
import type { LocalStack } from '../lib/local-stack.ts';

export type Purchase = { orderId: string; title: string; credits: number; price: string };

const PACK = 'Medium';
const GIVE_UP_MS = 60_000;

/**
 * What a person does who buys credits: signs in, chooses a pack and presses "Pay" on the vendor's page, with the box
 * ticked that makes the vendor report it three times at once. Waits until the order is paid and all reports are made.
 *
 * @throws Error when it is not within a minute
 */
export async function buyPack(stack: LocalStack): Promise<Purchase> {
  const client = createClient({
    url: stack.webUrl,
    headers: { cookie: await signIn(stack), origin: stack.webUrl },
  });
  const pack = (await client.orders.shop.query()).packs.find(({ title }) => title === PACK);
  if (!pack) throw new Error(`There is no pack ${PACK} to buy.`);
  const { orderId, checkoutUrl } = await client.orders.create.mutate({
    packId: pack.id,
    requestKey: newId(),
  });
  if (!checkoutUrl) throw new Error('The payment vendor opened no page.');
  const pressed = await fetch(checkoutUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'pay', thrice: '1' }),
  });
  if (pressed.status !== 303) throw new Error(`The payment page answered ${pressed.status}.`);
  await waitUntilPaid(client, orderId);
  await connectControl(stack.sandboxUrl).waitForReports({ orderId }, { atLeast: 3 });
  const price = new Intl.NumberFormat('en', { style: 'currency', currency: pack.currency });
  return { orderId, title: pack.title, credits: pack.credits, price: price.format(pack.amountMinor / 100) };
}

/** @returns the session cookie, as a request sends it back */
async function signIn({ webUrl, login }: LocalStack): Promise<string> {
  const response = await fetch(`${webUrl}/api/trpc/auth.signIn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: webUrl },
    body: JSON.stringify({ json: { email: login.email, password: login.password } }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (!response.ok || !cookie) throw new Error(`Signing in answered ${response.status}.`);
  return cookie;
}

async function waitUntilPaid(client: SidelaneClient, orderId: string): Promise<void> {
  const end = Date.now() + GIVE_UP_MS;
  for (;;) {
    const { status } = await client.orders.get.query({ orderId });
    if (status === 'paid') return;
    if (Date.now() > end) throw new Error(`The order is ${status} a minute after it was paid.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
