import { expect, it } from 'vitest';
import { expectedFrame, frameOf } from './aspect.ts';

it.each([
  ['image', { size: '1024x1536' }, { width: 1024, height: 1536 }],
  ['video', { seconds: 8, aspect_ratio: '9:16' }, { width: 9, height: 16 }],
  ['video', { size: '1280 × 720' }, { width: 1280, height: 720 }],
  ['image', { size: 'auto' }, { width: 1, height: 1 }],
  ['image', { size: '0x0' }, { width: 1, height: 1 }],
  ['audio', { size: '1024x1536' }, { width: 4, height: 1 }],
] as const)('keeps a place for %s %j', (kind, params, frame) => {
  expect(expectedFrame(kind, params)).toEqual(frame);
});

it('prefers the stored size over the expected one', () => {
  const expected = { width: 1, height: 1 };
  expect(frameOf({ kind: 'image', width: 800, height: 600 }, expected)).toEqual({ width: 800, height: 600 });
  expect(frameOf({ kind: 'image', width: null, height: 600 }, expected)).toEqual(expected);
});
