import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { AgentComposer } from '#app/components/agent/agent-composer.tsx';
import { LanguageProvider } from '#app/lib/language.tsx';
import {
  COMPOSITE_ID,
  makeAgent,
  makeAsk,
  makeChild,
  makeMake,
  makeTurn,
} from '#app/testing/composite-fixtures.ts';
import { englishLeft } from '#app/testing/english-left.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeModel, makeTask } from '#app/testing/task-fixtures.ts';
import type { AgentEntry, AgentView } from '#server/generation/agent/schemas.ts';
import AgentPage, { loader } from './workbench.agents.$taskId.tsx';

/** Names and words of the fixtures, and of the models in them. */
const DATA = [
  'Make three pictures of a lighthouse',
  'Words One',
  'Paint One',
  'Clip One',
  'A lighthouse in fog',
  'I begin with the lighthouse.',
  'Shall the light be on?',
  'too dark',
  'All three are there.',
  'no hats',
  'UTC',
  'JSON',
  'JavaScript',
  'token',
];

const STEP = { status: 'done', at: new Date('2026-01-05T10:00:00Z'), endedAt: null, child: null } as const;
const transcript: AgentEntry[] = [
  makeTurn(),
  makeTurn({
    key: 'model:2',
    number: 2,
    text: '',
    status: 'running',
    child: makeChild({ kind: 'text', status: 'uncertain', uncertainUntil: STEP.at, outputs: [] }),
  }),
  makeMake(),
  makeMake({ key: 'no', status: 'rejected', child: null, problem: 'too dark' }),
  makeMake({ key: 'dear', status: 'failed', child: null, problem: 'It costs 40 credits, and 12 are free.' }),
  makeMake({
    key: 'bad',
    status: 'failed',
    makes: 'video',
    child: makeChild({
      status: 'failed',
      failure: 'The provider refused this request. It said: no hats',
      chargedCredits: 0,
      outputs: [],
    }),
  }),
  { ...STEP, key: 'look', type: 'read', what: '7', problem: null },
  makeAsk(),
  makeMake({ key: 'wait', status: 'awaiting', child: null, makes: 'audio' }),
  makeTurn({ key: 'turn', number: 3, status: 'awaiting', text: '', child: null }),
  { ...STEP, key: 'refused', type: 'refused', name: 'x', problem: 'The arguments are not valid JSON.' },
  { ...STEP, key: 'finish', type: 'finish', summary: 'All three are there.' },
];

async function show(agent: Partial<AgentView>) {
  const context = { trpc: { agents: { get: async () => makeAgent(agent) } } };
  const { container } = renderInApp(
    <LanguageProvider value="zh-CN">
      <AgentPage />
    </LanguageProvider>,
    {
      url: `/workbench/agents/${COMPOSITE_ID}`,
      loader: ({ request }) => loader({ request, params: { taskId: COMPOSITE_ID }, context } as never),
    },
  );
  await screen.findByRole('article');
  return container;
}

it('the page of an agent that waits for its owner is in Chinese', async () => {
  const container = await show({
    waitingFor: 'user',
    waitingUntil: new Date('2026-01-12T10:00:00Z'),
    can: { pause: true, resume: true, stop: true, cancel: true },
    transcript,
    awaiting: ['call:2:0', 'wait', 'turn'],
    task: { ...makeAgent().task, waiting: null, waitingReason: null },
  });
  expect(englishLeft(container, DATA)).toEqual([]);
  expect(screen.getByText('已用 2 / 20 步。有 3 项等您决定。')).toHaveAttribute('role', 'status');
  const happened = within(screen.getByRole('region', { name: '过程' }));
  expect(happened.getByText('需要 40 积分，可用的只有 12。')).toBeVisible();
  expect(happened.getByText(/^：参数不是有效的 JSON。$/)).toBeVisible();
  expect(screen.getByRole('region', { name: '预算' })).toHaveTextContent(
    '目前已花费 12 积分，预计约 30，最多不会超过 50 积分。',
  );
});

it('so is the page of one that was cut short, with what the server says of it', async () => {
  const container = await show({
    can: { pause: false, resume: false, stop: false, cancel: false },
    transcript: [
      makeMake(),
      { ...STEP, key: 'end', type: 'finish', summary: 'All 20 steps were used.\nThis was made:\n- 7' },
    ],
    task: makeTask({
      id: COMPOSITE_ID,
      kind: 'agent',
      status: 'failed',
      failure: { code: 'steps_used_up', message: 'All 20 steps were used.', reason: null },
    }),
  });
  expect(englishLeft(container, DATA)).toEqual([]);
  expect(screen.getByText(/^20 步已全部用完。\s已生成：\s- 7$/)).toBeVisible();
});

it('the form is in Chinese, and what was wrong with it', async () => {
  const models = [
    makeModel({ slug: 'words', kind: 'text', title: 'Words One', converses: true }),
    makeModel({ slug: 'paint', title: 'Paint One' }),
    makeModel({ slug: 'clip', kind: 'video', title: 'Clip One', price: { unit: 'second', credits: 0 } }),
  ];
  const { container } = renderInApp(
    <LanguageProvider value="zh-CN">
      <AgentComposer
        models={models}
        action="/"
        balanceCredits={20}
        requestKey="0190a0b0-0000-7000-8000-0000000000b1"
        reply={{
          reply: {
            status: 'error',
            error: {
              '': ['This is a budget of nobody.', 'There is no such film.'],
              budgetCredits: [
                'A budget of 3 credits does not pay for one turn of Words One and one result. Allow at least 5 credits.',
              ],
            },
          },
        }}
      />
    </LanguageProvider>,
  );
  expect(
    screen.getByText('3 积分的预算不够 Words One 运行一轮并生成一个结果，请至少填写 5 积分。'),
  ).toBeVisible();
  expect(englishLeft(container, [...DATA, 'This is a budget of nobody.'])).toEqual([]);
});
