import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { faultsOf, type SourceFile } from './house.ts';

const root = join(import.meta.dir, '../../..');

const sourceFiles = async (): Promise<SourceFile[]> => {
  const glob = new Bun.Glob('{apps,packages}/*/src/**/*.{ts,tsx}');
  const paths = [...glob.scanSync(root)].filter((path) => !path.includes('.test.'));
  return Promise.all(
    paths.map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })),
  );
};

test('every file imports only its own room and lower floors, and SQL stands where it belongs', async () => {
  const files = await sourceFiles();
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap(faultsOf)).toEqual([]);
});

describe('the check finds', () => {
  const faults = (path: string, text: string) => faultsOf({ path, text });
  const inBots = 'apps/server/src/features/bots/routes.ts';

  test.each([
    ['an import upwards', inBots, `import { x } from '../servers/queries.ts';`, 'upwards'],
    ['a type imported upwards', inBots, `import type { X } from '../account/rules.ts';`, 'upwards'],
    ['a dynamic import upwards', inBots, `await import('../../main/app.ts');`, 'upwards'],
    ['an import sideways', inBots, `export * from '../keys/queries.ts';`, 'sideways'],
    [
      'tools that see each other',
      'apps/server/src/http/app.ts',
      `import { q } from '../queue/queue.ts';`,
      'sideways',
    ],
    [
      'a building that reaches into another',
      'packages/contract/src/index.ts',
      `import { x } from '../../../apps/server/src/kernel/ids.ts';`,
      'another building',
    ],
    [
      'a package the contract may not stand on',
      'packages/contract/src/index.ts',
      `import { Hono } from 'hono';`,
      'alone',
    ],
    ['a file in no room', 'apps/server/src/utils/x.ts', `import '../kernel/ids.ts';`, 'no room'],
    ['a tagged statement', inBots, 'db.execute(sql`select 1`);', 'holds SQL'],
    ['a built statement', inBots, 'await tx\n  .select({ id })\n  .from(bots);', 'holds SQL'],
    ['a statement as text', inBots, `run('delete from bots where true');`, 'holds SQL'],
  ])('%s', (_, path, text, words) => {
    expect(faults(path, text).join()).toContain(words);
  });

  test('nothing wrong with a lower floor, its own room, and SQL in queries.ts', () => {
    expect(
      faults(inBots, `import { a } from './queries.ts';\nimport '../users/queries.ts';`),
    ).toEqual([]);
    expect(faults('apps/server/src/features/bots/queries.ts', 'db.select()')).toEqual([]);
    expect(faults(inBots, '// import { x } from "../servers/queries.ts"')).toEqual([]);
  });
});
