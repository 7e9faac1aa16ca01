import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDialogue } from '#server/generation/drama/dialogue.ts';
import { type DramaPlan, dramaPlan } from '#server/generation/drama/schemas.ts';
import { startTestSandbox, type TestSandbox } from '../test-client.ts';
import {
  BOARD_TOOL,
  createTalker,
  type Said,
  type TalkFormat,
  type TalkTool,
  WORK_TOOLS,
} from './test-talker.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox({ sharedMedia: false });
});
afterAll(() => sandbox.close());

async function draw(idea: string, options: { format?: TalkFormat; tools?: TalkTool[] } = {}): Promise<Said> {
  const talker = createTalker(sandbox, {
    format: options.format ?? 'chat',
    tools: options.tools ?? [BOARD_TOOL],
  });
  talker.user(idea);
  return talker.next();
}

const planOf = (said: Said): DramaPlan => dramaPlan.parse(JSON.parse(said.calls[0]?.arguments ?? ''));
const plan = async (idea: string) => planOf(await draw(idea));

describe.each(['chat', 'responses'] as const)('a storyboard over %s', (format) => {
  test('is one call of save_storyboard, whatever else is offered, and the same every time', async () => {
    const tools = [...WORK_TOOLS, BOARD_TOOL];
    const [one, two] = await Promise.all([
      draw('A fox finds a lighthouse. It stays.', { format, tools }),
      draw('A fox finds a lighthouse. It stays.', { format, tools }),
    ]);
    expect(one).toEqual(two);
    expect(one.calls).toMatchObject([{ name: 'save_storyboard' }]);
    const made = planOf(one);
    expect(made.title).toBe('A fox finds a lighthouse It');
    expect(made.characters).toHaveLength(2);
    expect(made.scenes).toHaveLength(2);
    expect(made.shots.map(({ seconds }) => seconds)).toEqual([3, 3, 3]);
    expect(new Set(made.shots.map(({ picturePrompt }) => picturePrompt)).size).toBe(3);
    for (const shot of made.shots) expect(shot.narration.length).toBeLessThan(45);
  });

  test('is repaired: [[storyboard:bad=2]] is broken JSON, then against the schema, then right', async () => {
    const talker = createTalker(sandbox, { format, tools: [BOARD_TOOL] });
    talker.user('[[storyboard:bad=2]] A fox');
    const broken = await talker.next();
    expect(() => JSON.parse(broken.calls[0]?.arguments ?? '')).toThrow();
    talker.result(broken.calls[0]?.id ?? '', 'This is not JSON.');
    const wrong = await talker.next();
    expect(dramaPlan.safeParse(JSON.parse(wrong.calls[0]?.arguments ?? '')).success).toBe(false);
    talker.result(wrong.calls[0]?.id ?? '', 'There is no scene "nowhere".');
    expect(planOf(await talker.next()).shots).toHaveLength(3);
  });
});

test('[[shots=5]] and [[seconds=2]]', async () => {
  const made = await plan('[[shots=5]] [[seconds=2]] A fox in the snow');
  expect(made.shots.map(({ seconds }) => seconds)).toEqual([2, 2, 2, 2, 2]);
  expect(new Set(made.shots.map(({ sceneId }) => sceneId)).size).toBe(2);
  expect((await plan('[[shots=1]] A fox')).scenes).toHaveLength(1);
  expect(JSON.stringify(made)).not.toContain('[[');
});

test('[[storyboard:text]]: JSON in the text, without a call', async () => {
  const said = await draw('[[storyboard:text]] A fox');
  expect(said.calls).toEqual([]);
  expect(dramaPlan.parse(JSON.parse(said.text)).shots).toHaveLength(3);
});

test('Chinese ideas get Chinese storyboards', async () => {
  const made = await plan('一只狐狸找到了灯塔，它留了下来。');
  expect(made.title).toBe('一只狐狸找到了灯塔');
  for (const shot of made.shots) {
    expect(shot.picturePrompt + shot.motionPrompt + shot.narration).not.toMatch(/[A-Za-z]/);
    expect(shot.narration).toMatch(/\p{Script=Han}/u);
  }
});

test('a script keeps its dialogue word for word, its speakers and its order', async () => {
  const script = [
    'Title: The last boat',
    'Scene: the harbour at night',
    'Ada: We are  late — "again"!',
    'She looks at the water.',
    'Old Finn: Nonsense. 10:15 is early.',
    'Ada: Then row.',
    'Old Finn: I am rowing.',
  ].join('\n');
  const made = await plan(script);
  expect(made.title).toBe('The last boat');
  expect(made.characters.map(({ name }) => name)).toEqual(['Ada', 'Old Finn']);
  expect(made.shots.map(({ narration, speakerId }) => [speakerId, narration])).toEqual([
    ['c1', 'We are  late — "again"!'],
    ['c2', 'Nonsense. 10:15 is early.'],
    ['c1', 'Then row.'],
    ['c2', 'I am rowing.'],
  ]);
  const short = await plan(`[[shots=2]]\n${script}`);
  expect(short.shots.map(({ narration }) => narration)).toEqual([
    'We are  late — "again"! Nonsense. 10:15 is early.',
    'Then row. I am rowing.',
  ]);
});

test('whatever a script looks like, our own check of the dialogue is content', async () => {
  const script = [
    'INT. KITCHEN - NIGHT',
    '',
    'MARA (V.O.)',
    '(softly)',
    'I told you so.',
    'Twice.',
    '',
    'Jonas (laughing): (sits down) “You did not.”',
    '小岚：（笑）走吧。',
    'He says “Fine, then” and «goes out».',
    '12:30: noon.',
  ].join('\n');
  for (const shots of ['', '[[shots=1]]', '[[shots=2]]', '[[shots=9]]']) {
    const made = await plan(`${shots}<script>\n${script}\n</script>`);
    expect(checkDialogue(script, made.shots), shots).toEqual({ lost: [], altered: [] });
  }
});

test('Chinese dialogue and quoted speech are kept too', async () => {
  const made = await plan('小雨：你好，灯塔。\n老王：嗯。');
  expect(made.characters.map(({ name }) => name)).toEqual(['小雨', '老王']);
  expect(made.shots.map(({ narration }) => narration)).toEqual(
    expect.arrayContaining(['你好，灯塔。', '嗯。']),
  );
  const quoted = await plan('A fox says “Good night, moon.” and sleeps.');
  expect(quoted.shots.map(({ narration }) => narration)).toContain('Good night, moon.');
});

test.each([
  '<idea>\nThe red fox\n</idea>\nMake three shots.',
  'Idea: The red fox',
  'Make a storyboard of this:\n\nThe red fox',
  'Make a storyboard.\n"""\nThe red fox\n"""',
])('finds the user’s own text in %j', async (said) => {
  expect((await plan(said)).title).toBe('The red fox');
});

test('[[child:…]] goes to the part of the shot that it names', async () => {
  const made = await plan(
    '[[child:2 fail]] [[child:1.clip drop_after_accept]] [[child:*.voice slow_reply:ms=1]] [[child:1.look hang]] A fox',
  );
  const [one, two, three] = made.shots;
  expect(one?.picturePrompt).not.toContain('[[');
  expect(two?.picturePrompt).toMatch(/ \[\[fail\]\]$/);
  expect(one?.motionPrompt).toMatch(/ \[\[drop_after_accept\]\]$/);
  expect(three?.narration).toMatch(/ \[\[slow_reply:ms=1\]\]$/);
  expect(made.characters[0]?.look).toMatch(/ \[\[hang\]\]$/);
  expect((await sandbox.createImage({ prompt: two?.picturePrompt })).status).toBe(400);
  expect((await sandbox.createImage({ prompt: one?.picturePrompt })).status).toBe(200);
});

test('follows the schema of the tool: bounds, choices, fields', async () => {
  const tool: TalkTool = {
    name: 'save_storyboard',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['title', 'mood', 'shots'],
      properties: {
        title: { type: 'string', maxLength: 4 },
        mood: { enum: ['calm', 'wild'] },
        shots: {
          type: 'array',
          maxItems: 2,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['id', 'seconds', 'weight'],
            properties: {
              id: { type: 'string' },
              seconds: { type: 'integer', minimum: 4, maximum: 12 },
              weight: { type: 'number', minimum: 0.5 },
            },
          },
        },
      },
    },
  };
  const said = await draw('[[shots=9]] Foxes everywhere', { tools: [tool] });
  expect(JSON.parse(said.calls[0]?.arguments ?? '')).toEqual({
    title: 'Foxe',
    mood: 'calm',
    shots: [
      { id: 'shot1', seconds: 4, weight: 0.5 },
      { id: 'shot2', seconds: 4, weight: 0.5 },
    ],
  });
});

/** Seconds of a WAV file of the sandbox: 16 bit, 24 kHz, one channel. */
async function spokenSeconds(input: string): Promise<number> {
  const sound = await sandbox.createSpeech({ input, response_format: 'wav' });
  return ((await sound.arrayBuffer()).byteLength - 44) / 48_000;
}

test('a narration is spoken within its shot, and a longer one takes longer', async () => {
  for (const idea of ['A fox finds a lighthouse.', '一只狐狸找到了灯塔']) {
    const { shots } = await plan(idea);
    for (const { narration } of shots) {
      const seconds = await spokenSeconds(narration);
      expect(seconds).toBeGreaterThan(0.8);
      expect(seconds).toBeLessThan(3);
    }
  }
  const words = 'The fox looks at the sea and waits. ';
  const [one, two] = await Promise.all([spokenSeconds(words), spokenSeconds(words.repeat(2))]);
  expect(two / one).toBeGreaterThan(1.7);
  expect(two / one).toBeLessThan(2.3);
});

test('a picture of a shot can be the first frame of its clip', async () => {
  const form = new FormData();
  form.set('model', 'sora-2');
  form.set('prompt', 'The camera rises gently.');
  form.set('seconds', '1');
  form.set('size', '128x96');
  const picture = (await (await sandbox.createImage()).json()) as { data: [{ b64_json: string }] };
  const bytes = Buffer.from(picture.data[0].b64_json, 'base64');
  form.set('input_reference', new Blob([bytes], { type: 'image/png' }), 'shot.png');
  const response = await fetch(`${sandbox.url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
    body: form,
  });
  const { id } = (await response.json()) as { id: string };
  await sandbox.waitForVideo(id, 'completed');
});
