import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A process that does nothing but measure how late its timers are, until its input ends. Prints nanoseconds. */
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.stdin
  .once('end', () => {
    delay.disable();
    process.stdout.write(JSON.stringify({ max: delay.max, usual: delay.percentile(99) }));
  })
  .resume();
process.stdout.write('ready\n');
