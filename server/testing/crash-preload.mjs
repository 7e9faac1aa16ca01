// Loaded before a real web process by NODE_OPTIONS=--import: the process kills itself, as kill -9 would, when it
// reaches the crash point named in SIDELANE_CRASH_AT for the first time.
const at = process.env.SIDELANE_CRASH_AT;
globalThis.__SIDELANE_CRASH_POINTS__ = true;
globalThis.__SIDELANE_CRASH_HANDLER__ = (name) => {
  if (name === at) process.kill(process.pid, 'SIGKILL');
  // Nothing after the point may run while the signal is on its way.
  return name === at ? new Promise(() => {}) : undefined;
};
