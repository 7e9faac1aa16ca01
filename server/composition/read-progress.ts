/** How far ffmpeg is with one output. */
export type EncoderProgress = { frames: number; seconds: number };

/** Reads what ffmpeg prints with `-progress`: lines of `key=value`, in chunks of any size. */
export function createProgressReader(onProgress?: (progress: EncoderProgress) => void): {
  push(chunk: Buffer): void;
  last(): EncoderProgress;
} {
  let rest = '';
  const seen = { frames: 0, seconds: 0 };
  return {
    push(chunk) {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      // Bounded: a line of ffmpeg is short.
      rest = (lines.pop() ?? '').slice(-1_000);
      for (const line of lines) {
        const [key, value = ''] = line.trim().split('=');
        if (key === 'frame') seen.frames = Number.parseInt(value, 10) || seen.frames;
        // `out_time_ms` is in microseconds in some versions and in milliseconds in others; this one is the same in all.
        else if (key === 'out_time') seen.seconds = readClock(value) ?? seen.seconds;
        else if (key === 'progress') onProgress?.({ ...seen });
      }
    },
    last: () => ({ ...seen }),
  };
}

function readClock(text: string): number | undefined {
  const match = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text.trim());
  return match ? Number(match[1]) * 3_600 + Number(match[2]) * 60 + Number(match[3]) : undefined;
}
