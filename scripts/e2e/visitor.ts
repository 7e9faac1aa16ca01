import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import type { SiteAddresses } from './global-setup.ts';

/** Longest wait for a condition: a ceiling for hung runs, not a measure of anything. */
const PATIENCE_MS = 180_000;

/** Somebody with a browser profile of their own. */
export type Visitor = {
  page: Page;
  /** Origin of the site. */
  webUrl: string;
  /** Errors of the console and of scripts, but the expected ones. */
  problems: string[];
  /** Console errors that this test causes on purpose. */
  expectProblem(pattern: RegExp): void;
  /** Goes to a path of the site and waits until its scripts have taken over. */
  open(path: string): Promise<void>;
  /** Closes page and profile: cookies, cache and streams are gone. */
  leave(): Promise<void>;
};

let visitors = 0;

/** Of the range for documentation and benchmarks; the site believes it as it would a proxy. */
function nextAddress(): string {
  visitors += 1;
  return `198.18.${Math.floor(Math.random() * 256)}.${visitors % 256}`;
}

export type Person = { email: string; password: string; name: string };

export async function createVisitor(
  browser: Browser,
  site: Pick<SiteAddresses, 'webUrl'>,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: site.webUrl,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    // An address of their own: new accounts are limited per address.
    extraHTTPHeaders: { 'x-forwarded-for': nextAddress() },
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  const expected: RegExp[] = [];
  const note = (problem: string) => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error') note(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => note(`${error.name}: ${error.message}`));
  return {
    page,
    webUrl: site.webUrl,
    problems,
    expectProblem: (pattern) => expected.push(pattern),
    async open(path) {
      await page.goto(path);
      if (options.javaScriptEnabled !== false) await waitForScripts(page);
    },
    leave: () => context.close(),
  };
}

/**
 * Waits until React has taken the page over. Before that, forms are sent the plain way, which is another test; the
 * frame's announcer has text only after its first effect.
 */
export async function waitForScripts(page: Page): Promise<void> {
  await page.waitForFunction(
    () => (document.querySelector('#main ~ [role="status"]')?.textContent ?? '') !== '',
  );
}

let people = 0;

export function newPerson(): Person {
  people += 1;
  const tag = `${Date.now().toString(36)}${people}`;
  return { email: `user-${tag}@example.com`, password: `a long walk ${tag}`, name: `Robin ${people}` };
}

export async function signUp(page: Page, person: Person): Promise<void> {
  await page.getByLabel('Name').fill(person.name);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel(/^Password/).fill(person.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/workbench**');
}

export async function signIn(
  page: Page,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/workbench**');
}

/** Makes an account without the form, where the form is not what a test is about. */
export async function joinQuietly(visitor: Visitor, person: Person): Promise<void> {
  await callProcedure(visitor, 'auth.signUp', {
    email: person.email,
    password: person.password,
    displayName: person.name,
  });
}

export async function enterQuietly(
  visitor: Visitor,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<void> {
  await callProcedure(visitor, 'auth.signIn', { email, password });
}

/** Calls a procedure as this visitor; what it returned. */
export async function callProcedure(visitor: Visitor, name: string, input: unknown): Promise<unknown> {
  const response = await visitor.page.request.post(`/api/trpc/${name}`, {
    data: { json: input },
    // Playwright's own client sends no Origin; a browser would.
    headers: { origin: visitor.webUrl },
  });
  if (!response.ok()) throw new Error(`${name} answered ${response.status()}: ${await response.text()}`);
  return ((await response.json()) as { result: { data: { json: unknown } } }).result.data.json;
}
