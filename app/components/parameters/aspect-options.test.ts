import { expect, it } from 'vitest';
import { aspectOptions, drawnSize } from './aspect-options.ts';

it.each([
  [['1024x1024', '1536x1024']],
  [['16:9', '9:16', '1:1']],
  [['1280*720', '720*1280']],
  [['auto', '1024×1024', '1024×1536']],
])('%j are shapes', (options) => {
  const found = aspectOptions(options);
  expect(found?.map(({ value }) => value)).toEqual(options);
  expect(found?.filter(({ shape }) => shape === null)).toHaveLength(options.includes('auto') ? 1 : 0);
});

it.each([
  [['alloy', 'echo']],
  [['720p', '1080p']],
  [['1024x1024']],
  [['auto', '1024x1024']],
  [['0x10', '10x10']],
  [Array.from({ length: 17 }, (_, index) => `${index + 1}:1`)],
])('%j are none', (options) => {
  expect(aspectOptions(options)).toBeNull();
});

it('draws a shape by its proportions, however long it is', () => {
  expect(drawnSize({ width: 1024, height: 1024 }, 20)).toEqual({ width: 20, height: 20 });
  expect(drawnSize({ width: 16, height: 9 }, 20)).toEqual({ width: 20, height: 11 });
  expect(drawnSize({ width: 1, height: 100 }, 20)).toEqual({ width: 4, height: 20 });
});
