import { useCallback, useEffect, useRef, useState } from 'react';

export type Upload = {
  /** Of this list, not of the server. */
  key: number;
  name: string;
  bytes: number;
  isImage: boolean;
  /** Local address of the picture until it is removed. */
  previewUrl: string | null;
  state: { type: 'uploading' } | { type: 'done'; id: string } | { type: 'failed'; message: string };
};

/** Sends one file and answers its id. */
export type SendFile = (file: File, signal: AbortSignal) => Promise<string>;

/**
 * Reference files of the form: sent as soon as they are chosen, so that the submit itself carries ids only. Uploads
 * belong to the form, whichever model is chosen; `add` says what it could not take.
 */
export function useUploads(sendFile: SendFile, limit: number) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const [refusal, setRefusal] = useState<string | null>(null);
  const nextKey = useRef(1);
  const aborts = useRef(new Map<number, AbortController>());
  const current = useRef(uploads);
  current.current = uploads;

  const settle = useCallback((key: number, state: Upload['state']) => {
    aborts.current.delete(key);
    setUploads((list) => list.map((item) => (item.key === key ? { ...item, state } : item)));
  }, []);

  const add = useCallback(
    (files: readonly File[]) => {
      const room = Math.max(0, limit - current.current.length);
      const taken = files.slice(0, room);
      setRefusal(
        files.length > room
          ? `This model takes at most ${limit} reference ${limit === 1 ? 'file' : 'files'}.`
          : null,
      );
      const added = taken.map((file): Upload => {
        const key = nextKey.current++;
        const abort = new AbortController();
        aborts.current.set(key, abort);
        sendFile(file, abort.signal).then(
          (id) => settle(key, { type: 'done', id }),
          (error: unknown) => {
            if (abort.signal.aborted) return;
            const message =
              error instanceof Error ? error.message : 'The file could not be uploaded. Try again.';
            settle(key, { type: 'failed', message });
          },
        );
        const isImage = file.type.startsWith('image/');
        return {
          key,
          name: file.name,
          bytes: file.size,
          isImage,
          previewUrl: isImage ? URL.createObjectURL(file) : null,
          state: { type: 'uploading' },
        };
      });
      if (added.length > 0) setUploads((list) => [...list, ...added]);
    },
    [limit, sendFile, settle],
  );

  const forget = useCallback((gone: readonly Upload[]) => {
    for (const item of gone) {
      aborts.current.get(item.key)?.abort();
      aborts.current.delete(item.key);
      if (item.previewUrl) URL.revokeObjectURL(item.previewUrl);
    }
  }, []);

  const remove = useCallback(
    (key: number) => {
      forget(current.current.filter((item) => item.key === key));
      setUploads((list) => list.filter((item) => item.key !== key));
      setRefusal(null);
    },
    [forget],
  );

  const clear = useCallback(() => {
    forget(current.current);
    setUploads([]);
    setRefusal(null);
  }, [forget]);

  useEffect(() => () => forget(current.current), [forget]);

  return { uploads, refusal, add, remove, clear };
}

type UploadAnswer = { uploads?: { id?: unknown }[]; error?: { message?: unknown } };

/**
 * Sends one file to the web process' upload door.
 *
 * @throws Error with a sentence for people
 */
export const sendReference: SendFile = async (file, signal) => {
  const body = new FormData();
  body.append('file', file, file.name);
  let response: Response;
  try {
    response = await fetch('/files/uploads', { method: 'POST', body, signal });
  } catch {
    throw new Error('The upload broke off. Remove the file and add it again.');
  }
  const answer = (await response.json().catch(() => ({}))) as UploadAnswer;
  const id = answer.uploads?.[0]?.id;
  if (response.ok && typeof id === 'string') return id;
  if (response.status === 401) throw new Error('Your session has ended. Sign in again, then add the file.');
  if (typeof answer.error?.message === 'string') throw new Error(answer.error.message);
  throw new Error('The file could not be uploaded. Remove it and try again.');
};
