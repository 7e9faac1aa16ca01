import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `node scripts/bootstrap.mjs <tsx | vitest> …`: installs the packages if they are missing or differ from
 * package-lock.json, then runs the command. Plain JavaScript without packages, because it must run before there are any.
 */

const OLDEST_NODE = [20, 19];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.sidelane-lock-hash');

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantMajor, wantMinor] = OLDEST_NODE;
  if (major < wantMajor || (major === wantMajor && minor < wantMinor)) {
    fail(`Node.js ${process.versions.node} is too old: install Node.js ${OLDEST_NODE.join('.')} or newer.`);
  }
}

const readText = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

/** Whether npm's own record of what it installed agrees with the lock file: then an install by hand counts too. */
function recordAgrees(lockText) {
  const recordText = readText(path.join(modules, '.package-lock.json'));
  if (!recordText) return false;
  const wanted = JSON.parse(lockText).packages;
  const have = JSON.parse(recordText).packages;
  return Object.entries(wanted).every(([place, entry]) => {
    if (place === '' || entry.link || entry.optional) return true;
    return have[place]?.version === entry.version;
  });
}

function isInstalled() {
  const lockText = readText(path.join(root, 'package-lock.json')) ?? '';
  const hash = createHash('sha256').update(lockText).digest('hex');
  if (!existsSync(modules)) return { hash, done: false };
  if (readText(stampFile) === hash) return { hash, done: true };
  return { hash, done: recordAgrees(lockText) };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs `work` while no other bootstrap of this checkout does. */
async function withLock(work) {
  const lock = path.join(root, '.cache', 'install.lock');
  mkdirSync(path.dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const owner = Number(readText(lock));
      if (owner > 0 && !isAlive(owner)) rmSync(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** npm as it started us, else the one on PATH. Development packages are needed whatever NODE_ENV says. */
function runNpmCi() {
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  const options = { cwd: root, stdio: 'inherit' };
  const run = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (run.error)
    fail(`npm could not be started (${run.error.message}): install npm, or run npm ci yourself.`);
  if (run.signal) process.exit(128 + os.constants.signals[run.signal]);
  if (run.status !== 0) fail('npm ci failed: see its lines above, then run the command again.');
}

async function install() {
  const before = isInstalled();
  if (before.done) {
    if (readText(stampFile) !== before.hash) writeFileSync(stampFile, before.hash);
    return;
  }
  await withLock(() => {
    const now = isInstalled();
    if (now.done) return;
    console.error('Installing packages (npm ci) …');
    runNpmCi();
    writeFileSync(stampFile, now.hash);
  });
}

/** The script of an installed command. `tsx` runs as a loader of Node itself: one process, so signals need no relay. */
function resolveCommand(command, args) {
  if (command === 'tsx' && args[0] && !args[0].startsWith('-') && args[0] !== 'watch') {
    return ['--import', 'tsx', ...args];
  }
  const manifest = readText(path.join(modules, command, 'package.json'));
  if (!manifest) fail(`The command ${command} is not among the packages of this project.`);
  const { bin } = JSON.parse(manifest);
  return [path.join(modules, command, typeof bin === 'string' ? bin : bin[command]), ...args];
}

function run(command, args) {
  const child = spawn(process.execPath, resolveCommand(command, args), { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // Ctrl-C reaches the whole group: a second one from us would look like impatience.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`${command} could not be started (${error.message}).`));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : (code ?? 1)));
}

checkNode();
const [command, ...args] = process.argv.slice(2);
if (!command) fail('Use: node scripts/bootstrap.mjs <tsx | vitest> …');
await install();
run(command, args);
