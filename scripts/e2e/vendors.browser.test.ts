import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import { enterQuietly } from './visitor.ts';
import { balanceOf, cardOf, submitOrder, taskIdOf, waitForStatus } from './workbench.ts';

const stage = prepareStage();

const PICTURE = 'A ferry between two islands [[delay:3600000]]';
const MUSIC = 'A slow waltz for a night train [[delay:3600000]]';

test('models of other vendors: ordered, left alone, and found with all their results', async () => {
  const { control } = stage;
  const before = await stage.visitAsMember();
  const { page } = before;
  await before.open('/workbench?make=image');
  await pickModel(page, 'Sandbox image (Replicate)');
  await expectAccessible(page);
  const order = { kind: 'image', prompt: PICTURE, choose: { Images: '2' } } as const;
  const picture = await submitOrder(page, order);
  await before.open('/workbench?make=audio');
  await pickModel(page, 'Sandbox music (New API)');
  const music = await submitOrder(page, { kind: 'audio', prompt: MUSIC });
  for (const card of [picture, music]) await waitForStatus(card, 'running');
  const taskIds = [await taskIdOf(picture), await taskIdOf(music)];
  await before.leave();

  await stage.startDaemon();
  await control.release();
  await expect
    .poll(() => statusesOf(taskIds), { timeout: 300_000, interval: 100 })
    .toEqual(['succeeded', 'succeeded']);
  // A poll may have seen the end a moment before it was told.
  await expect
    .poll(() => upstreamOf(taskIds), { timeout: 60_000, interval: 100 })
    .toEqual([
      { format: 'replicate', verified: true },
      { format: 'newapi', verified: false },
    ]);

  const after = await stage.visit();
  await enterQuietly(after, before.person);
  await after.open('/workbench');
  const [pictures, clips] = [cardOf(after.page, PICTURE), cardOf(after.page, MUSIC)];
  await waitForStatus(pictures, 'succeeded');
  await waitForStatus(clips, 'succeeded');
  await pictures.getByText('Sandbox image (Replicate)').waitFor();
  await clips.getByText('Sandbox music (New API)').waitFor();
  expect(await pictures.getByRole('img').count()).toBe(2);
  for (const image of await pictures.getByRole('img').all()) expect(await widthOf(image)).toBeGreaterThan(0);
  expect(await clips.locator('audio').count()).toBe(2);
  const lengths = await Promise.all((await clips.locator('audio').all()).map(secondsOf));
  expect(Math.min(...lengths)).toBeGreaterThan(0);
  await expectAccessible(after.page);
  // Two pictures of 3 credits and one call of 6.
  expect(await balanceOf(after.page)).toBe(100 - 6 - 6);
});

async function pickModel(page: Page, title: string): Promise<void> {
  const models = page.getByRole('group', { name: 'Model' });
  await models.getByRole('radio', { name: title }).check();
  await page.waitForURL(/[?&]model=/);
}

async function statusesOf(taskIds: readonly string[]): Promise<string[]> {
  const rows = await stage.sql<{ id: string; status: string }[]>`
    select id, status from generation_tasks where id in ${stage.sql([...taskIds])}`;
  return taskIds.map((taskId) => rows.find(({ id }) => id === taskId)?.status ?? 'missing');
}

/** In which format the sandbox took each task, and whether a signed webhook told of its end. */
function upstreamOf(taskIds: readonly string[]): Promise<{ format?: string; verified: boolean }[]> {
  return Promise.all(
    taskIds.map(async (taskId) => {
      const [dispatch] = await stage.sql<{ id: string; verified: boolean }[]>`
        select d.id, exists (select 1 from webhook_inbox w where w.dispatch_id = d.id and w.verified) as verified
        from dispatches d where d.task_id = ${taskId}`;
      const [job] = await stage.control.jobs({ clientRef: dispatch?.id });
      return { format: job?.format, verified: dispatch?.verified ?? false };
    }),
  );
}

/** The natural width of an image once it has loaded; it loads only when it is near the window. */
async function widthOf(image: Locator): Promise<number> {
  await image.scrollIntoViewIfNeeded();
  return image.evaluate(async (element) => {
    if (!(element instanceof HTMLImageElement)) throw new Error('not an image');
    await element.decode();
    return element.naturalWidth;
  });
}

/** How long a sound is, once the browser has read it. */
async function secondsOf(sound: Locator): Promise<number> {
  return sound.evaluate(async (element) => {
    if (!(element instanceof HTMLMediaElement)) throw new Error('not a player');
    if (element.readyState === 0) {
      element.load();
      await new Promise((resolve) => element.addEventListener('loadedmetadata', resolve, { once: true }));
    }
    return element.duration;
  });
}
