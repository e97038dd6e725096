import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dir, '../../..');
const read = (path: string) => Bun.file(join(root, path)).text();

/** The headings of `docs/flows.md`, with how many files a newcomer should need at most. */
const longestFlows = { 'A list': 12, 'A card event': 18, 'A verification': 25, 'A restore': 45 };

test('docs/flows.md names existing files, and no flow is too long', async () => {
  const flows = (await read('docs/flows.md')).split('\n## ').slice(1);
  const lengths: Record<string, number> = {};
  for (const flow of flows) {
    const files = [...flow.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => path);
    lengths[flow.split(':')[0] ?? ''] = files.length;
    const inRepository = (path: string) =>
      path.startsWith('packages/') ? path : `apps/server/src/${path}`;
    expect(files.filter((path) => !existsSync(join(root, inRepository(path))))).toEqual([]);
  }
  expect(Object.keys(lengths)).toEqual(Object.keys(longestFlows));
  for (const [name, most] of Object.entries(longestFlows)) {
    expect([name, (lengths[name] ?? 0) <= most]).toEqual([name, true]);
  }
});

const pages = () => [
  ...new Bun.Glob('*.md').scanSync(root),
  ...[...new Bun.Glob('docs/**/*.md').scanSync(root)].filter((path) => path !== 'docs/api.md'),
];

test('operators read of every event of the card provider that the service acts on', async () => {
  const source = await read('apps/server/src/features/billing/card/parse-event.ts');
  const types = [...source.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, type]) => type);
  expect(types).toContain('checkout.session.completed');
  const page = await read('docs/operations.md');
  expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
});

test('every link and picture of a page of the documentation leads to a file', async () => {
  const broken: string[] = [];
  for (const page of pages()) {
    const text = await read(page);
    const targets = [
      ...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g),
      ...text.matchAll(/ (?:src|srcset)="([^"]+)"/g),
    ];
    for (const [, target = ''] of targets) {
      if (/^[a-z]+:/.test(target)) continue;
      if (!existsSync(join(root, dirname(page), target))) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test('every file that the architecture pages name exists', async () => {
  const patterns = ['{apps,packages}/*/{src,test}/**/*.{ts,tsx}', '{apps,packages}/*/*.ts'];
  const known = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  const missing: string[] = [];
  for (const page of pages().filter((path) => path.startsWith('docs/architecture'))) {
    for (const [, path = ''] of (await read(page)).matchAll(/`([a-z][\w/-]*\.tsx?)`/g)) {
      const ofEveryFeature = [
        'feature.ts',
        'table.ts',
        'routes.ts',
        'rules.ts',
        'queries.ts',
        'jobs.ts',
      ];
      if (ofEveryFeature.includes(path)) continue;
      if (!known.some((file) => file.endsWith(path))) missing.push(`${page}: ${path}`);
    }
  }
  expect(missing).toEqual([]);
});
