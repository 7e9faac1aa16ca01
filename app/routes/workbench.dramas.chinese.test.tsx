import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { LanguageProvider } from '#app/lib/language.tsx';
import { COMPOSITE_ID, makeChild } from '#app/testing/composite-fixtures.ts';
import { makeDoneDrama, makeDoneParts, makeDrama, makePart, makePlan } from '#app/testing/drama-fixtures.ts';
import { englishLeft } from '#app/testing/english-left.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel } from '#app/testing/task-fixtures.ts';
import type { DramaView } from '#server/generation/drama/schemas.ts';
import DramaPage, { loader } from './workbench.dramas.$taskId.tsx';
import NewDrama, { loader as newLoader } from './workbench.dramas.new.tsx';

vi.mock('#app/components/drama/ask-drama.ts', () => ({ askOrderQuote: undefined, askPlanQuote: undefined }));

/** Names and words of the fixtures, and of the models in them. */
const { title, style, characters, scenes, shots } = makePlan();
const DATA = [
  title,
  style,
  'A lighthouse keeper finds a letter',
  'Words One',
  'Paint One',
  'Film One',
  'Voice One',
  ...characters.flatMap((each) => [each.name, each.look, each.voice]),
  ...scenes.flatMap((each) => [each.title, each.place]),
  ...shots.flatMap((each) => [each.picturePrompt, each.motionPrompt, each.narration]),
  'no hats',
  ...['MP4', 'SRT', 'VTT', 'ZIP', 'UTC', 'JavaScript', 'Markdown', 'Word', '.txt', '.md', '.docx', 'token'],
];

async function show(view: DramaView, others: DramaView[] = [], query = '') {
  const get = async ({ taskId }: { taskId: string }) =>
    [view, ...others].find((each) => each.taskId === taskId) ?? view;
  const context = { trpc: { dramas: { get } } };
  const { container } = renderInApp(
    <LanguageProvider value="zh-CN">
      <DramaPage />
    </LanguageProvider>,
    {
      url: `/workbench/dramas/${COMPOSITE_ID}${query}`,
      loader: ({ request }) => loader({ request, params: { taskId: COMPOSITE_ID }, context } as never),
    },
  );
  await screen.findByRole('article');
  return container;
}

it('the storyboard under review is in Chinese, and what its buttons say', async () => {
  const user = userEvent.setup();
  const container = await show(makeDrama());
  await user.click(await screen.findByRole('button', { name: '将镜头 1 下移' }));
  expect(screen.getByText('镜头 1 现在是第 2 个镜头，共 3 个。')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: '移除镜头 3' }));
  expect(screen.getByText('已移除“镜头 3”。', { selector: 'p' })).toBeVisible();
  await user.clear(screen.getByRole('textbox', { name: '片名' }));
  await user.click(screen.getByRole('button', { name: '保存' }));
  expect(screen.getByText('请填写片名。')).toBeVisible();
  expect(screen.getByText('有 1 处需要修改后才能保存。')).toBeVisible();
  expect(englishLeft(container, DATA)).toEqual([]);
});

it('so is a film with parts that failed', async () => {
  const failed = makePart({
    key: 'shot:s2:picture:1',
    status: 'failed',
    problem: 'The provider refused this request. It said: no hats',
  });
  const container = await show(
    makeDrama({
      phase: 'failed_parts',
      characters: { c1: makePart({ status: 'done', takenOver: true, child: makeChild() }) },
      shots: [
        makeDoneParts('s1'),
        {
          id: 's2',
          picture: failed,
          clip: makePart({ status: 'skipped', problem: 'The picture of this shot is missing.' }),
          voice: makePart(),
        },
      ],
    }),
  );
  expect(englishLeft(container, DATA)).toEqual([]);
  expect(screen.getByText('已完成 3 / 6 个部分，2 个未能生成。')).toBeVisible();
  expect(screen.getByText('缺少这个镜头的画面。')).toBeVisible();
  expect(screen.getByText('1 个部分失败')).toBeVisible();
});

it('so is a finished film beside another version', async () => {
  const versions: DramaView['versions'] = [
    { taskId: '0190a0b0-0000-7000-8000-0000000000a2', status: 'succeeded', submittedAt: new Date(0) },
    { taskId: COMPOSITE_ID, status: 'succeeded', submittedAt: new Date(0) },
  ];
  const older = makeDoneDrama({ taskId: '0190a0b0-0000-7000-8000-0000000000a2', versions });
  const done = await show(makeDoneDrama({ versions }), [older], `?compare=${older.taskId}`);
  await screen.findByRole('region', { name: '两个版本对比' });
  expect(englishLeft(done, DATA)).toEqual([]);

  const redo = within(screen.getByRole('form', { name: '重新生成镜头 1 的部分内容', hidden: true }));
  expect(redo.getByText('请选择要重新生成的部分。其他内容保持不变，不再扣费。')).toBeInTheDocument();
});

it('so is a storyboard that could not be used, with what was wrong', async () => {
  const container = await show(
    makeDrama({
      phase: 'storyboard',
      waitingFor: 'children',
      plan: null,
      quote: null,
      storyboard: {
        tries: 2,
        problem: 'The storyboard could not be used: shots.3.seconds: A shot lasts at most 15 seconds.',
        child: makeChild({ kind: 'text', modelTitle: 'Words One', status: 'running', outputs: [] }),
      },
    }),
  );
  expect(screen.getByText('分镜无法使用：shots.3.seconds: 镜头最多 15 秒。')).toBeVisible();
  expect(englishLeft(container, [...DATA, 'shots.3.seconds'])).toEqual([]);
});

it('so is what the server says of a film that it could not put together', async () => {
  const composeProblem = 'Shot 2 has a clip without a picture. Make the clip again.';
  const base = makeDoneDrama();
  const container = await show({
    ...base,
    film: null,
    composeProblem,
    task: {
      ...base.task,
      status: 'failed',
      failure: { code: 'composition_failed', message: composeProblem, reason: null },
    },
  });
  expect(englishLeft(container, DATA)).toEqual([]);
  expect(screen.getAllByText('镜头 2的片段没有画面，请重新生成片段。').length).toBeGreaterThan(0);
});

it('the form is in Chinese', async () => {
  const models = [
    makeModel({ slug: 'words', kind: 'text', title: 'Words One', converses: true }),
    makeModel({ slug: 'paint', kind: 'image', maxReferences: 4 }),
    makeModel({ slug: 'film', kind: 'video', title: 'Film One', maxReferences: 1 }),
    makeModel({ slug: 'speak', kind: 'audio', title: 'Voice One' }),
  ];
  const context = { trpc: { generation: { models: async () => models } } };
  const { container } = renderInApp(
    <LanguageProvider value="zh-CN">
      <NewDrama />
    </LanguageProvider>,
    {
      url: '/workbench/dramas/new',
      loader: ({ request }) => newLoader({ request, params: {}, context } as never),
    },
  );
  await screen.findByRole('button', { name: '创建' });
  expect(englishLeft(container, DATA)).toEqual([]);
});
