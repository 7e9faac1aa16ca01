import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makePicture, makeVoice } from '#server/composition/testing/film-fixtures.ts';
import { newId } from '#server/lib/ids.ts';
import { storeUpload } from '#server/storage/uploads.ts';
import { readDramaDocument } from './read-drama-document.ts';
import { createDramaRig, type DramaRig } from './testing/drama-rig.ts';
import { composer } from './testing/quick-composer.ts';

vi.mock('#server/composition/compose-film.ts', () => import('./testing/quick-composer.ts'));

let rig: DramaRig;
beforeAll(async () => {
  rig = await createDramaRig({ characters: true });
});
afterAll(() => rig.close());

const upload = async (fileName: string, source: Readable) =>
  (await storeUpload(rig.deps, { userId: rig.user.id, fileName, source })).id;

it('reads the text of a document of the user, and of nobody else', async () => {
  const uploadId = await upload(
    'story.md',
    Readable.from([Buffer.from('# The last ship\r\n\r\nMara waits.')]),
  );
  const read = await readDramaDocument(rig.deps, { userId: rig.user.id, uploadId });
  expect(read).toEqual({ text: '# The last ship\n\nMara waits.' });
  const stranger = readDramaDocument(rig.deps, { userId: newId(), uploadId });
  await expect(stranger).rejects.toMatchObject({ code: 'not_found' });
});

it('puts music under the film and shows pictures of the style to the model', async () => {
  const music = await upload('music.mp3', createReadStream((await makeVoice('mp3')).path));
  const style = await upload('style.png', createReadStream((await makePicture('png')).path));
  await expect(rig.orderPictures(1, '', { music: style })).rejects.toMatchObject({
    message: expect.stringContaining('is no sound file'),
  });
  await expect(rig.orderPictures(1, '', { references: [music] })).rejects.toMatchObject({
    message: expect.stringContaining('is no picture'),
  });
  const taskId = await rig.orderPictures(1, '', { music, references: [style] });
  const drama = await rig.ended(taskId);
  expect(drama.task.status).toBe('succeeded');
  expect(composer.orders.at(-1)?.music).toMatchObject({ mime: 'audio/mpeg', path: expect.any(String) });
  const rows = await rig.t.sql<{ references: string[] }[]>`
    select d.reference_ids as references from generation_task_details d
    join generation_tasks t on t.id = d.task_id where t.parent_id = ${taskId} and t.kind = 'image' order by t.id`;
  const [character, picture] = rows.map(({ references }) => references);
  expect(character).toEqual([style]);
  // The character first, then the style, up to the model's limit of two.
  expect(picture).toEqual([expect.not.stringContaining(style), style]);
});
