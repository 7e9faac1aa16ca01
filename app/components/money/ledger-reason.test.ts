import { expect, it } from 'vitest';
import { ledgerReason } from './ledger-reason.ts';

it.each([
  ['Starting credits', '注册赠送'],
  ['Held for Aurora XL', '为 Aurora XL 冻结'],
  ['Held as the budget of an agent', '作为智能体的预算冻结'],
  ['Held as the budget of a drama', '作为短剧的预算冻结'],
  ['Bought: 1,000 credits', '购买：1,000 credits'],
  ['Paid off: The payment is disputed', '偿还：付款有争议'],
  ['The provider refused this request.', '服务商拒绝了这个请求。'],
  ['A gift for the fair', 'A gift for the fair'],
])('says %s in Chinese', (reason, words) => {
  expect(ledgerReason(reason, 'zh-CN')).toBe(words);
  expect(ledgerReason(reason, 'en')).toBe(reason);
});
