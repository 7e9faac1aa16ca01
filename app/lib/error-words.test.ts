import { expect, it } from 'vitest';
import { errorWords } from './error-words.ts';

it('finds a sentence by its English words, with the values in it, and leaves what it does not know', () => {
  expect(errorWords('The password is wrong.', 'zh-CN')).toBe('密码不正确。');
  expect(errorWords('A password has at least 10 characters.', 'zh-CN')).toBe('密码至少需要 10 个字符。');
  expect(errorWords('The password is wrong.', 'en')).toBe('The password is wrong.');
  expect(errorWords('The upstream (say) refuses $1.', 'zh-CN')).toBe('The upstream (say) refuses $1.');
});

it('says the values that are words themselves, and finds the sentence that fits best', () => {
  expect(errorWords('This order is given up already. Reload the page.', 'zh-CN')).toBe(
    '这个订单已是 已放弃 状态，请刷新页面。',
  );
  expect(errorWords('At most 100 rows at once.', 'zh-CN')).toBe('一次最多 100 行。');
  expect(errorWords('Write {{prompt}} where the prompt goes.', 'zh-CN')).toBe(
    '请在提示词的位置写 {{prompt}}。',
  );
});

it('says several sentences, and where they belong, or leaves all of them', () => {
  expect(errorWords('You upload too fast. Try again in 1 second.', 'zh-CN')).toBe(
    '上传过于频繁。请 1 秒后重试。',
  );
  expect(
    errorWords(
      'auth.name: Enter the name of the header. poll.path: A path has at most 500 characters.',
      'zh-CN',
    ),
  ).toBe('auth.name: 请输入请求头的名称。poll.path: 路径最多 500 个字符。');
  expect(errorWords('Say why. The vendor shrugs.', 'zh-CN')).toBe('Say why. The vendor shrugs.');
});
