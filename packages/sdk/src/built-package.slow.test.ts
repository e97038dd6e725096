import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshDatabase } from '../../../apps/server/test/database.ts';
import {
  endScene,
  makeFolder,
  mintKey,
  startService,
  testWith,
} from '../../../apps/server/test/scenarios/scene.ts';
import { buildPackage, weigh } from '../build.ts';

setDefaultTimeout(120_000);

const root = join(import.meta.dir, '..');
const node = Bun.which('node');
const testWithNode = testWith('node', node !== null);

/** A project that has installed the built package, and nothing else. */
let project: string;
let serviceUrl: string;
let databaseUrl: string;

beforeAll(async () => {
  project = await makeFolder();
  await buildPackage(join(project, 'node_modules/@holdfast/sdk'));
  databaseUrl = await freshDatabase();
  serviceUrl = (await startService({ DATABASE_URL: databaseUrl })).url;
});
afterAll(endScene);

const run = async (command: string[], env: Record<string, string> = {}) => {
  const child = Bun.spawn(command, { cwd: project, env, stdout: 'pipe', stderr: 'pipe' });
  const stdout = await new Response(child.stdout).text();
  const stderr = await new Response(child.stderr).text();
  return { exitCode: await child.exited, stdout, stderr };
};

const newAccount = async () => ({
  HOLDFAST_URL: serviceUrl,
  HOLDFAST_KEY: (await mintKey(databaseUrl)).key,
});

const usePackage = async (runtime: string) => {
  await cp(join(root, 'test/plain-user.mjs'), join(project, 'plain-user.mjs'));
  const { stdout, stderr } = await run([runtime, 'plain-user.mjs'], await newAccount());
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    names: ['Hafen – 港'],
    total: 1,
    isListedWhole: true,
    invalid: { fieldErrors: { id: ['Must be a UUID'] }, formErrors: [] },
    isUnreachable: true,
    aborted: 'enough',
  });
};

testWithNode('the built package lists, creates, pages and fails as it should under Node', () =>
  usePackage(node ?? 'node'),
);

test('it does so under Bun', () => usePackage(process.execPath));

testWithNode('the examples of the README run as they stand', async () => {
  const readme = await Bun.file(join(root, 'README.md')).text();
  const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const account = await newAccount();
  const told: string[] = [];
  for (const [index, code] of examples.entries()) {
    await writeFile(join(project, `example-${index}.mjs`), code);
    const { exitCode, stdout, stderr } = await run([node ?? '', `example-${index}.mjs`], account);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    told.push(stdout + stderr);
  }
  expect(told).toHaveLength(5);
  expect(told[0]).toContain('looks after 0 servers');
  expect(told[3]).toContain('completed: 100 %');
  expect(told[4]).toContain('platformGuildId');
});

test('its declarations need nothing else, and say what the source says', async () => {
  await cp(join(root, 'test/typed-user.ts'), join(project, 'typed-user.mts'));
  const compiler = join(root, '../../node_modules/typescript/bin/tsc');
  const strictly = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--types', ''];
  const asNodeDoes = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
  const command = [process.execPath, compiler, ...strictly, ...asNodeDoes, 'typed-user.mts'];
  const { exitCode, stdout } = await run(command);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
});

test('it weighs less than 15 kB in a browser, compressed', async () => {
  expect((await weigh()).compressed).toBeLessThan(15_000);
});
