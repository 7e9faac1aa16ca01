import { mediaTools } from '../media-tools.ts';

/**
 * A process with an ffmpeg that never ends, for tests of who outlives whom. Prints one line when ffmpeg works; ends
 * itself in an orderly way when its input ends.
 */
const [, , markerFile = ''] = process.argv;
const endless = ['-re', '-f', 'lavfi', '-i', 'testsrc=size=16x16:rate=5', '-f', 'rawvideo', '-y', markerFile];
void mediaTools().run('ffmpeg', endless, { timeoutMs: 600_000, maxOutputBytes: 1_000 });
process.stdin.once('end', () => process.exit(0)).resume();
