import { type ClipboardEvent, type DragEvent, useState } from 'react';

type FileDropInput = { takesFiles: boolean; onFiles: (files: File[]) => void };

/**
 * Files that are dropped on a form or pasted into it. One that takes none says so: the browser would leave the page for
 * the file.
 */
export function useFileDrop({ takesFiles, onFiles }: FileDropInput) {
  const [isOver, setOver] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const take = (files: File[]) => {
    setRefused(!takesFiles);
    if (takesFiles) onFiles(files);
  };
  return {
    isOver,
    /** Files were dropped on a form that takes none. */
    isRefused: isRefused && !takesFiles,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(takesFiles);
      },
      onDragLeave(event: DragEvent) {
        const next = event.relatedTarget;
        if (!(next instanceof Node) || !event.currentTarget.contains(next)) setOver(false);
      },
      onDrop(event: DragEvent) {
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        take([...event.dataTransfer.files]);
      },
      onPaste(event: ClipboardEvent) {
        const files = [...event.clipboardData.files];
        if (files.length === 0 || !takesFiles) return;
        event.preventDefault();
        take(files);
      },
    },
  };
}
