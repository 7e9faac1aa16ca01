import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReferenceView } from '#server/generation/prompts/schemas.ts';

export type Upload = {
  /** Of this list, not of the server. */
  key: number;
  name: string;
  bytes: number;
  mime: string;
  /** Address on the server; null of what was chosen here. */
  url: string | null;
  /** Address of the picture, local or of the server. */
  previewUrl: string | null;
  state:
    | { type: 'uploading'; percent: number | null }
    | { type: 'done'; id: string }
    | { type: 'failed'; message: string | null };
};

/** Sends one file and answers its id; tells how much has gone, in percent. */
export type SendFile = (
  file: File,
  signal: AbortSignal,
  onProgress?: (percent: number) => void,
) => Promise<string>;

/**
 * Reference files of the form: sent as soon as they are chosen, so that the submit itself carries ids only. Uploads
 * belong to the form, whichever model is chosen. `refused` is set when `add` could not take everything.
 *
 * @param initial files that the server has already
 * @param initialGap empty places before them: a last frame whose first one is still to come
 */
export function useUploads(
  sendFile: SendFile,
  limit: number,
  initial: readonly ReferenceView[] = [],
  initialGap = 0,
) {
  const [uploads, setUploads] = useState<Upload[]>(() => initial.map(fromServer));
  const [gap, setGap] = useState(initialGap);
  const [refused, setRefused] = useState(false);
  const nextKey = useRef(initial.length + 1);
  const aborts = useRef(new Map<number, AbortController>());
  const files = useRef(new Map<number, File>());
  const current = useRef(uploads);
  current.current = uploads;

  const settle = useCallback((key: number, state: Upload['state']) => {
    setUploads((list) => list.map((item) => (item.key === key ? { ...item, state } : item)));
  }, []);

  const send = useCallback(
    (key: number, file: File) => {
      const abort = new AbortController();
      aborts.current.set(key, abort);
      const onProgress = (percent: number) => {
        if (aborts.current.get(key) === abort) settle(key, { type: 'uploading', percent });
      };
      sendFile(file, abort.signal, onProgress)
        .then(
          (id): Upload['state'] => ({ type: 'done', id }),
          (error: unknown): Upload['state'] => ({
            type: 'failed',
            message: error instanceof Error ? error.message : null,
          }),
        )
        .then((state) => {
          if (abort.signal.aborted) return;
          aborts.current.delete(key);
          settle(key, state);
        });
    },
    [sendFile, settle],
  );

  const add = useCallback(
    (chosen: readonly File[]) => {
      const room = Math.max(0, limit - current.current.length);
      setRefused(chosen.length > room);
      const added = chosen.slice(0, room).map((file): Upload => {
        const key = nextKey.current++;
        files.current.set(key, file);
        send(key, file);
        return {
          key,
          name: file.name,
          bytes: file.size,
          mime: file.type,
          url: null,
          previewUrl: file.type.startsWith('image/') ? URL.createObjectURL(file) : null,
          state: { type: 'uploading', percent: null },
        };
      });
      if (added.length === 0) return;
      setUploads((list) => [...added.slice(0, gap), ...list, ...added.slice(gap)]);
      setGap(Math.max(0, gap - added.length));
    },
    [limit, send, gap],
  );

  const retry = useCallback(
    (key: number) => {
      const file = files.current.get(key);
      if (!file) return;
      settle(key, { type: 'uploading', percent: null });
      send(key, file);
    },
    [send, settle],
  );

  const forget = useCallback((gone: readonly Upload[]) => {
    for (const item of gone) {
      aborts.current.get(item.key)?.abort();
      aborts.current.delete(item.key);
      files.current.delete(item.key);
      if (item.previewUrl?.startsWith('blob:')) URL.revokeObjectURL(item.previewUrl);
    }
  }, []);

  const remove = useCallback(
    (key: number) => {
      forget(current.current.filter((item) => item.key === key));
      setUploads((list) => list.filter((item) => item.key !== key));
      if (current.current.every((item) => item.key === key)) setGap(0);
      setRefused(false);
    },
    [forget],
  );

  /** One place towards the start (−1) or the end (1): places decide what a file is for. */
  const move = useCallback((key: number, by: -1 | 1) => {
    if (by === -1 && current.current[0]?.key === key) return setGap((places) => Math.max(0, places - 1));
    setUploads((list) => {
      const from = list.findIndex((item) => item.key === key);
      const [one, other] = [list[from], list[from + by]];
      if (!one || !other) return list;
      return list.map((item) => (item === one ? other : item === other ? one : item));
    });
  }, []);

  /** Puts these files of the server in the place of all others, after as many empty places. */
  const replace = useCallback(
    (references: readonly ReferenceView[], places = 0) => {
      forget(current.current);
      setRefused(false);
      setGap(places);
      setUploads(references.map((reference) => ({ ...fromServer(reference, 0), key: nextKey.current++ })));
    },
    [forget],
  );

  const clear = useCallback(() => replace([]), [replace]);

  useEffect(() => () => forget(current.current), [forget]);

  return { uploads, gap, refused, add, retry, remove, move, replace, clear };
}

function fromServer({ id, ...file }: ReferenceView, index: number): Upload {
  return { key: index + 1, ...file, state: { type: 'done', id } };
}

export type Uploads = ReturnType<typeof useUploads>;

/** Whether the form cannot be sent because of its files. */
export const isUploading = ({ uploads }: Uploads): boolean =>
  uploads.some(({ state }) => state.type !== 'done');
