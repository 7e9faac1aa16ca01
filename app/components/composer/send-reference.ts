import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useT } from '#app/lib/language.tsx';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { SendFile } from './use-uploads.ts';

/** What sends reference files: the one that a test gives, or the real one in the page's language. */
export function useSendFile(given: SendFile | undefined): SendFile {
  const t = useT(workbenchTexts);
  return useMemo(() => given ?? sendReferenceIn(t), [given, t]);
}

/**
 * Sends one file to the web process' upload door. Not by `fetch`, which does not tell how far an upload is.
 *
 * @throws Error with a sentence for people
 */
const sendReferenceIn =
  (t: TFunction<'workbench'>): SendFile =>
  (file, signal, onProgress) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('POST', '/files/uploads');
      request.responseType = 'json';
      request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
        if (lengthComputable && total > 0) onProgress?.(Math.min(99, Math.floor((loaded / total) * 100)));
      };
      request.onerror = () => reject(new Error(t('references.brokeOff')));
      request.onload = () => {
        const id = idOf(request.response);
        if (id !== undefined && request.status < 300) resolve(id);
        else if (request.status === 401) reject(new Error(t('references.signedOut')));
        else reject(new Error(messageOf(request.response) ?? t('references.refused')));
      };
      signal.addEventListener('abort', () => request.abort());
      const body = new FormData();
      body.append('file', file, file.name);
      request.send(body);
    });

type UploadAnswer = { uploads?: { id?: unknown }[]; error?: { message?: unknown } } | null;

function idOf(answer: UploadAnswer): string | undefined {
  const id = answer?.uploads?.[0]?.id;
  return typeof id === 'string' ? id : undefined;
}

function messageOf(answer: UploadAnswer): string | undefined {
  const message = answer?.error?.message;
  return typeof message === 'string' ? message : undefined;
}
