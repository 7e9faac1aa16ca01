import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createClient } from 'sidelane/client';

const sidelane = createClient({ url: 'https://lane.example', token: process.env.SIDELANE_TOKEN });

const models = await sidelane.generation.models.query();
const model = models.find(({ kind }) => kind === 'text');
if (!model) throw new Error('There is no model of text.');

const { taskId } = await sidelane.generation.submit.mutate({
  kind: 'text',
  model: model.slug,
  prompt: 'Three names for a lighthouse',
  // Repeat the call with the same key when its answer was lost: it is the same task.
  requestKey: randomUUID(),
});

// The task goes on whether this program waits or not.
let task = await sidelane.generation.get.query({ taskId });
while (!['succeeded', 'failed', 'cancelled'].includes(task.status)) {
  await setTimeout(1_000);
  task = await sidelane.generation.get.query({ taskId });
}
console.log(
  task.status,
  task.outputs.map((output) => output.url),
);
