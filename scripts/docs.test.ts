import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TRANSITIONS } from '#server/generation/transitions.ts';
import { ORDER_TRANSITIONS } from '#server/orders/status.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const decisions = readdirSync(path.join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`);
const PAGES = [
  'README.md',
  'docs/architecture.md',
  'docs/contributing.md',
  'docs/state-machines.md',
  'docs/operations.md',
  ...decisions,
];

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  it('names only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const name of matches(text, /npm run ([a-z:0-9-]+)/g)) expect(scripts, name).toHaveProperty([name]);
  });

  it('links only to what is there', () => {
    const targets = matches(text, /(?<!!)\[[^\]]*\]\(([^)#]+)\)/g).filter(
      (target) => !/^https?:/.test(target),
    );
    for (const target of targets) {
      expect(existsSync(path.join(ROOT, path.dirname(page), target)), target).toBe(true);
    }
  });

  it('names only files and folders that are there', () => {
    for (const file of matches(
      text,
      /`((?:app|server|daemon|scripts|drizzle|docs)\/[\w./-]*|[\w-]+\.config\.[jt]s)`/g,
    )) {
      expect(existsSync(path.join(ROOT, file)), file).toBe(true);
    }
  });

  it('names only variables that are in .env.example', () => {
    const known = read('.env.example');
    const elsewhere = ['NODE_ENV', 'CHROMIUM_PATH', 'SIDELANE_TOKEN'];
    for (const name of matches(text, /`([A-Z][A-Z0-9]*_[A-Z0-9_]+)[`=]/g)) {
      if (!elsewhere.includes(name)) expect(known, name).toMatch(new RegExp(`^#?${name}=`, 'm'));
    }
  });
});

it.each<[string, Readonly<Record<string, readonly string[]>>]>([
  ['Task', TRANSITIONS],
  ['Order', ORDER_TRANSITIONS],
])('draws the transition table of %s as the code has it', (heading, table) => {
  const section = read('docs/state-machines.md').split(`\n## ${heading}\n`)[1] ?? '';
  const drawing = section.split('```mermaid')[1]?.split('```')[0] ?? '';
  const drawn = [...drawing.matchAll(/^ +(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`);
  const wanted = Object.entries(table).flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`));
  expect(drawn.sort()).toEqual(wanted.sort());
});

it('lists the metrics as the code has them', () => {
  const listed = new Set(matches(read('docs/operations.md'), /^\| `(sidelane_\w+)/gm));
  const made = new Set(matches(read('server/http/metrics.ts'), /'(sidelane_\w+)'/g));
  expect([...listed].sort()).toEqual([...made].sort());
});

it('gives every decision its number, a status and its three parts', () => {
  for (const file of decisions) {
    const number = Number(/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]);
    expect(read(file), file).toMatch(
      new RegExp(
        `^# ${number}\\. .+\\n\\n## Status\\n[^]+\\n## Context\\n[^]+\\n## Decision\\n[^]+\\n## Consequences\\n`,
      ),
    );
  }
});
