import { existsSync } from 'node:fs';
import { type BrowserServer, chromium } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Quiet and local: no call home, no GPU, and able to run as root in a container. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The browser that tests drive: `CHROMIUM_PATH`, else the system's.
 *
 * @throws Error in one line when there is none
 */
export function findChromium(
  wanted: string | undefined = process.env.CHROMIUM_PATH,
  places: readonly string[] = PLACES,
): string {
  if (wanted) {
    if (existsSync(wanted)) return wanted;
    throw new Error(`CHROMIUM_PATH names ${wanted}, which does not exist: correct it, or unset it.`);
  }
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new Error(
    'There is no Chromium for the browser tests: install chromium (or Google Chrome), or set CHROMIUM_PATH to one.',
  );
}

/** One headless Chromium that several processes may connect to. */
export function launchChromium(): Promise<BrowserServer> {
  return chromium.launchServer({
    executablePath: findChromium(),
    args: ARGS,
    headless: true,
    host: '127.0.0.1',
    timeout: 180_000,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}
