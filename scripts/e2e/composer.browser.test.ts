import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { prepareStage } from './stage.ts';
import {
  balanceOf,
  cardOf,
  fillOrder,
  generateButton,
  submitOrder,
  taskIdOf,
  waitForStatus,
} from './workbench.ts';

const stage = prepareStage();

const promptOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Prompt' });
const formOf = (page: Page, kind = 'image'): Locator => page.getByRole('form', { name: `New ${kind}` });

test('an order by keyboard: files dropped and pasted, a preset, and a draft that survives a reload', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=image');
  await fillOrder(page, {
    kind: 'image',
    prompt: 'A pier in fog',
    choose: { Images: '2', Size: '1024x1536' },
  });
  await giveFile(formOf(page), 'drop', 'dropped.png');
  await page.getByAltText('Reference 1: dropped.png').waitFor();
  await giveFile(promptOf(page), 'paste', 'pasted.png');
  await page.getByAltText('Reference 2: pasted.png').waitFor();
  await page.getByRole('button', { name: 'Move pasted.png earlier' }).click();
  await page.getByAltText('Reference 1: pasted.png').waitFor();
  await uploaded(page, 2);

  await page.getByRole('button', { name: 'Presets' }).click();
  const presets = page.getByRole('dialog');
  await presets.getByRole('textbox', { name: /present parameters/ }).fill('Two tall');
  await page.keyboard.press('Enter');
  await presets.getByText('“Two tall” was saved.').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.reload();
  await page.getByText('Your draft is back.').waitFor();
  expect(await promptOf(page).inputValue()).toBe('A pier in fog');
  await uploaded(page, 2);
  expect(await formOf(page).getByRole('radio', { name: '1024x1536' }).isChecked()).toBe(true);
  await expectAccessible(page);
  // The parameters by their preset, after they were others.
  await fillOrder(page, {
    kind: 'image',
    prompt: 'A pier in fog',
    choose: { Images: '1', Size: '1024x1024' },
  });
  await page.getByRole('button', { name: 'Presets' }).click();
  await page.getByRole('button', { name: 'Apply “Two tall”' }).click();
  await page.getByText('8 credits', { exact: true }).waitFor();

  await promptOf(page).press('Control+Enter');
  const card = cardOf(page, 'A pier in fog');
  await waitForStatus(card, 'succeeded');
  const [order] = await stage.sql<{ params: unknown; names: string[] }[]>`
    select d.params, (select array_agg(u.file_name order by array_position(d.reference_ids, u.id)) from uploads u
      where u.id = any(d.reference_ids)) as names
    from generation_task_details d where d.task_id = ${await taskIdOf(card)}`;
  expect(order?.params).toMatchObject({ n: 2, size: '1024x1536' });
  expect(order?.names).toEqual(['pasted.png', 'dropped.png']);
  // Sent: nothing of it comes back.
  expect(await promptOf(page).inputValue()).toBe('');
  await page.reload();
  await page.getByRole('heading', { name: 'Your tasks' }).waitFor();
  await promptOf(page).fill('Another');
  await page.getByText('Your draft is back.').waitFor({ state: 'hidden' });
});

test('a result becomes a reference, also without JavaScript, and an earlier order is taken over', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=image');
  const first = await submitOrder(page, {
    kind: 'image',
    prompt: 'The first boat',
    choose: { Size: '1536x1024' },
  });
  await waitForStatus(first, 'succeeded');
  const taskId = await taskIdOf(first);
  const [output] = await stage.sql<{ id: string }[]>`select id from outputs where task_id = ${taskId}`;

  await visitor.open(`/workbench?from=${taskId}`);
  await page.getByText('Filled in from an earlier task.').waitFor();
  expect(await promptOf(page).inputValue()).toBe('The first boat');
  expect(await formOf(page).getByRole('radio', { name: '1536x1024' }).isChecked()).toBe(true);

  const cookies = await page.context().cookies();
  const plain = await stage.visit({ javaScriptEnabled: false });
  await plain.page.context().addCookies(cookies);
  await plain.open(`/workbench?reference=${output?.id}&role=first_frame&make=video`);
  const model = plain.page.getByRole('radio', { checked: true }).first();
  expect(await model.getAttribute('name')).toBe('model');
  await fillOrder(plain.page, { kind: 'video', prompt: 'The boat sets sail', choose: { Seconds: '4' } });
  await generateButton(plain.page).click();
  await cardOf(plain.page, 'The boat sets sail').waitFor();
  const [reference] = await stage.sql<{ source: string }[]>`
    select u.source_output_id as source from generation_task_details d
    join uploads u on u.id = any(d.reference_ids) where d.prompt = 'The boat sets sail'`;
  expect(reference?.source).toBe(output?.id);

  // Another model is a form of its own, which works without a script too.
  await plain.open('/workbench?make=image');
  await plain.page.getByRole('radio', { name: 'Sandbox image (Replicate)' }).check();
  await plain.page.getByRole('button', { name: 'Show this model' }).click();
  await plain.page.waitForURL(/model=/);
  expect(await plain.page.getByRole('radio', { name: 'Sandbox image (Replicate)' }).isChecked()).toBe(true);
});

test('help with writing: an earlier prompt, a template, and a better wording that is paid for', async () => {
  const visitor = await stage.visitAsMember();
  const { page } = visitor;
  await visitor.open('/workbench?make=image');
  await submitOrder(page, { kind: 'image', prompt: 'A ferry at dawn' });
  await waitForStatus(cardOf(page, 'A ferry at dawn'), 'succeeded');
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('searchbox', { name: 'Search' }).fill('FERRY');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use “A ferry at dawn”' }).click();
  expect(await promptOf(page).inputValue()).toBe('A ferry at dawn');

  await page.getByRole('button', { name: 'Templates' }).click();
  const templates = page.getByRole('dialog');
  await templates.getByRole('textbox', { name: /as a template/ }).fill('Ferry');
  await templates.getByRole('button', { name: 'Save' }).click();
  await templates.getByRole('button', { name: 'Use “Ferry”' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  const before = await balanceOf(page);
  await page.getByRole('button', { name: 'Improve' }).click();
  const improve = page.getByRole('dialog');
  await improve.getByRole('button', { name: /^Improve for \d+ credits?$/ }).click();
  await improve.getByRole('button', { name: 'Use this prompt' }).waitFor();
  await expectAccessible(page);
  await improve.getByRole('button', { name: 'Use this prompt' }).click();
  const better = await promptOf(page).inputValue();
  expect(better).not.toBe('');
  expect(better).not.toBe('A ferry at dawn');
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await promptOf(page).inputValue()).toBe('A ferry at dawn');
  // An ordinary task: in the list, and paid for.
  await waitForStatus(page.getByRole('article', { name: /^Improve this prompt/ }), 'succeeded');
  await expect.poll(() => balanceOf(page)).toBeLessThan(before);
});

/** Drops or pastes a small picture, as the browser would tell of it. */
async function giveFile(target: Locator, how: 'drop' | 'paste', name: string): Promise<void> {
  const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#c06030' } })
    .png()
    .toBuffer();
  await target.evaluate(
    (element, { type, fileName, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], fileName, { type: 'image/png' }));
      element.dispatchEvent(
        type === 'drop'
          ? new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer })
          : new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: transfer }),
      );
    },
    { type: how, fileName: name, bytes: [...picture] },
  );
}

/** Waits until so many files are with the server. */
async function uploaded(page: Page, count: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelectorAll('input[name^="references["]').length === wanted,
    count,
  );
}
