import { renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { stubUploads } from '#app/testing/stub-uploads.ts';
import { useSendFile } from './send-reference.ts';

afterEach(() => vi.unstubAllGlobals());

const FILE = new File(['a'], 'dusk.png', { type: 'image/png' });
const send = (onProgress?: (percent: number) => void) =>
  renderHook(() => useSendFile(undefined)).result.current(FILE, new AbortController().signal, onProgress);

it('sends one file, tells how far it is, and answers its id', async () => {
  const files = stubUploads({ status: 201, response: { uploads: [{ id: 'the-id' }] } });
  const onProgress = vi.fn();
  await expect(send(onProgress)).resolves.toBe('the-id');
  expect(files.map(({ name }) => name)).toEqual(['dusk.png']);
  expect(onProgress).toHaveBeenCalledExactlyOnceWith(50);
});

it.each([
  [{ status: 0, response: null }, 'The upload broke off. Remove the file and add it again.'],
  [{ status: 401, response: null }, 'Your session has ended. Sign in again, then add the file.'],
  [
    { status: 413, response: { error: { message: 'A file may have at most 5 MB.' } } },
    'A file may have at most 5 MB.',
  ],
  [{ status: 502, response: null }, 'The file could not be uploaded. Remove it and try again.'],
  [{ status: 201, response: {} }, 'The file could not be uploaded. Remove it and try again.'],
])('an answer of %j is a sentence', async (answer, sentence) => {
  stubUploads(answer);
  await expect(send()).rejects.toThrow(sentence);
});
