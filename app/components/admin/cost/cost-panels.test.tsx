import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, it } from 'vitest';
import { LanguageProvider } from '#app/lib/language.tsx';
import { makeAdminModel, makeCandidate, makeChannel } from '#app/testing/channel-fixtures.ts';
import { makeCostSum, makeCostsView, makeModelCosts } from '#app/testing/cost-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { ModelCandidates } from '../model-candidates.tsx';
import { candidateCostForm, costForm, toCostFields } from './cost-form-schema.ts';
import { CostPanels } from './cost-panels.tsx';
import { dispatchCostWords, ruleWords } from './cost-words.ts';

const rowsOf = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map((row) => row.textContent ?? '');

it('shows spend and cost of each day, with what nobody knows beside it', async () => {
  const { container } = renderInApp(
    <main>
      <CostPanels costs={makeCostsView()} />
    </main>,
  );
  expect(screen.getByRole('img', { name: /^Credits charged: 100 in all/ })).toBeInTheDocument();
  expect(screen.getByRole('img', { name: /^Upstream cost in USD: US\$0\.54 in all/ })).toBeInTheDocument();
  const table = within(container).getByRole('table', { name: 'Upstream cost in USD', hidden: true });
  const [, newest] = within(table).getAllByRole('row', { hidden: true });
  expect(newest).toHaveTextContent(/US\$0\.50US\$0\.04100123$/);
  expect(screen.getByText(/2 calls is not known: they may have taken up to US\$0\.04/)).toBeInTheDocument();
  expect(screen.getByText(/Of 1 call not even the most/)).toBeInTheDocument();
  expect(screen.getByText(/For 3 calls no cost was written/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Download as CSV' })).toHaveAttribute(
    'href',
    '/admin/costs.csv?days=2',
  );
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
});

it('says what a model leaves, and never takes what is unknown for nothing', () => {
  const models = [
    makeModelCosts({ modelId: 'a', title: 'Known' }),
    makeModelCosts({
      modelId: 'b',
      title: 'Partly',
      sums: [makeCostSum({ possibleMicros: 40_000, possibleCalls: 1 })],
      unpricedCalls: 2,
    }),
    makeModelCosts({ modelId: 'c', title: 'Silent', sums: [], unpricedCalls: 5 }),
    makeModelCosts({ modelId: 'd', title: 'Abroad', sums: [makeCostSum({ currency: 'EUR' })] }),
    makeModelCosts({ modelId: 'e', title: 'Waiting', sums: [makeCostSum({ micros: 0, knownCalls: 0 })] }),
  ];
  renderInApp(<CostPanels costs={makeCostsView({ models })} />);
  const [, known, partly, silent, abroad, waiting] = rowsOf(
    screen.getByRole('table', { name: 'Margin by model' }),
  );
  expect(known).toMatch(/US\$2\.00US\$0\.5075\s%$/);
  expect(partly).toMatch(/US\$0\.50\+ up to US\$0\.04without 2 calls of unknown costat most 75\s%$/);
  expect(silent).toMatch(/not knownnot knownwithout 5 calls of unknown costnot known$/);
  expect(abroad).toMatch(/Nobody bought credits in this currency\.€0\.50not known$/);
  expect(waiting).not.toMatch(/US\$0\.00/);
});

it('without a written cost it says where to write them', () => {
  const view = makeCostsView();
  renderInApp(<CostPanels costs={{ ...view, totals: { ...view.totals, sums: [] }, models: [] }} />);
  expect(screen.getByRole('link', { name: 'Write costs' })).toHaveAttribute('href', '/admin/models');
  expect(screen.getByText('No model was used in these days.')).toBeInTheDocument();
});

it('in Chinese', () => {
  renderInApp(
    <LanguageProvider value="zh-CN">
      <CostPanels costs={makeCostsView()} />
    </LanguageProvider>,
  );
  expect(screen.getByRole('heading', { name: '每日消费与成本' })).toBeInTheDocument();
  expect(screen.getByRole('table', { name: '各模型的毛利' })).toBeInTheDocument();
  expect(screen.getByText(/有 3 次调用在发送时没有填写成本/)).toBeInTheDocument();
});

const FIELDS = { unit: 'output', amount: '0.04', currency: 'usd' };

it('reads a cost as it is typed, and writes it as it is read', () => {
  const cost = costForm.parse({
    ...FIELDS,
    credit: '0.01',
    tiers: [{ when: 'quality=high', amount: '0.17' }, {}],
  });
  expect(cost).toEqual({
    currency: 'USD',
    unit: 'output',
    micros: 40_000,
    tiers: [{ when: { quality: 'high' }, micros: 170_000 }],
    vendorCreditMicros: 10_000,
    failures: 'unknown',
  });
  const { tiers, ...fields } = toCostFields(cost);
  expect(costForm.parse({ ...fields, tiers: tiers.slice(0, -1) })).toEqual(cost);
  expect(costForm.parse(toCostFields(null).unit === 'none' ? { unit: 'none' } : {})).toBeNull();
});

it.each([
  ['no amount', { ...FIELDS, amount: undefined }, 'amount'],
  ['a word for an amount', { ...FIELDS, amount: 'much' }, 'amount'],
  ['no currency', { ...FIELDS, currency: '$' }, 'currency'],
  ['tokens without a block', { ...FIELDS, unit: 'tokens' }, 'blockTokens'],
])('refuses %s beside the field', (_name, form, field) => {
  expect(costForm.safeParse(form).error?.issues.map(({ path }) => path[0])).toEqual([field]);
});

it('a further account has a cost of its own, which is sent with its candidate', async () => {
  const user = userEvent.setup();
  const sent: Record<string, string>[] = [];
  const candidate = makeCandidate(1);
  renderInApp(
    <ModelCandidates model={makeAdminModel({ candidates: [candidate] })} channels={[makeChannel()]} />,
    {
      action: async ({ request }) => {
        sent.push(
          Object.fromEntries([...(await request.formData())].map(([key, value]) => [key, String(value)])),
        );
        return { done: 'candidate-cost' };
      },
    },
  );
  await user.click(screen.getByText('Cost: not known'));
  const form = within(screen.getByRole('form', { name: /^Cost of next-1/ }));
  await user.selectOptions(form.getByLabelText('The vendor counts'), 'each output');
  await user.type(form.getByLabelText('Amount'), '0.025');
  await user.click(form.getByRole('button', { name: 'Save the cost' }));
  await screen.findByText('Cost: not known');
  expect(sent).toMatchObject([
    { candidateId: candidate.id, 'cost.unit': 'output', 'cost.amount': '0.025', 'cost.currency': 'USD' },
  ]);
  expect(sent[0]?.intent).toBe(`candidate-cost-${candidate.id}`);
  expect(candidateCostForm.shape.candidateId.safeParse(candidate.id).success).toBe(true);
});

const t = ((key: string, values: object = {}) => `${key} ${Object.values(values).join(' ')}`.trim()) as never;
const micros = (amount: number, currency: string) => `${amount} ${currency}`;

it.each([
  [{ phase: 'intent', outcome: null, cost: null }, false, null],
  [{ phase: 'sent', outcome: 'rejected', cost: null }, true, 'dispatch.nothing'],
  [{ phase: 'sent', outcome: 'done', cost: null }, true, 'dispatch.unpriced'],
  [{ phase: 'sent', outcome: 'done', cost: { micros: 5, from: 'terms' } }, true, 'dispatch.known 5 USD'],
  [{ phase: 'sent', outcome: 'done', cost: { micros: 5, from: 'vendor' } }, true, 'dispatch.vendor 5 USD'],
  [{ phase: 'sent', outcome: 'accepted', cost: { orderedMicros: 9 } }, false, 'dispatch.expected 9 USD'],
  [{ phase: 'sent', outcome: 'accepted', cost: {} }, false, 'dispatch.expectedUnknown'],
  [{ phase: 'sent', outcome: 'accepted', cost: { orderedMicros: 9 } }, true, 'dispatch.possible 9 USD'],
  [{ phase: 'sent', outcome: null, cost: {} }, false, 'dispatch.possibleUnknown'],
])('of a call %j, its task ended: %s, it says %s', (dispatch, hasEnded, words) => {
  const cost = dispatch.cost && {
    currency: 'USD',
    micros: null,
    orderedMicros: null,
    from: null,
    ...dispatch.cost,
  };
  expect(dispatchCostWords({ ...dispatch, cost } as never, hasEnded, t, micros)).toBe(words);
});

it('says a rule in a few words', () => {
  const rule = {
    currency: 'USD',
    unit: 'tokens' as const,
    micros: 1,
    blockTokens: 1_000,
    failures: 'free' as const,
  };
  expect(ruleWords(null, t, micros)).toBe('rule.unknown');
  expect(ruleWords({ ...rule, outputMicros: 4 }, t, micros)).toBe('rule.tokensInOut 1 USD 4 USD 1000');
  expect(ruleWords(rule, t, micros)).toBe('rule.tokens 1 USD 1000');
});
