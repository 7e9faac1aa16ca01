import { vi } from 'vitest';

type Answer = { status: number; response: unknown };

/** Answers uploads in place of the network. Taken back by `vi.unstubAllGlobals`. Returns the files as they came. */
export function stubUploads(answer: Answer): File[] {
  const files: File[] = [];
  class FakeRequest {
    status = 0;
    response: unknown = null;
    responseType = '';
    upload: { onprogress: ((event: object) => void) | null } = { onprogress: null };
    onload: (() => void) | null = null;
    onerror: (() => void) | null = null;
    open() {}
    abort() {}
    send(body: FormData) {
      const file = body.get('file');
      if (file instanceof File) files.push(file);
      this.upload.onprogress?.({ lengthComputable: true, loaded: 1, total: 2 });
      this.status = answer.status;
      this.response = answer.response;
      queueMicrotask(() => (answer.status === 0 ? this.onerror?.() : this.onload?.()));
    }
  }
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  return files;
}
