import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshDatabase } from '../../../apps/server/test/harness/database.ts';
import {
  createKey,
  makeFolder,
  startService,
  stopServices,
  testWith,
} from '../../../apps/server/test/harness/running-service.ts';
import { buildPackage, measureSize } from '../build.ts';

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
afterAll(stopServices);

const run = async (command: string[], env: Record<string, string> = {}) => {
  const child = Bun.spawn(command, { cwd: project, env, stdout: 'pipe', stderr: 'pipe' });
  const stdout = await new Response(child.stdout).text();
  const stderr = await new Response(child.stderr).text();
  return { exitCode: await child.exited, stdout, stderr };
};

const newAccount = async () => ({
  HOLDFAST_URL: serviceUrl,
  HOLDFAST_KEY: (await createKey(databaseUrl)).key,
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

testWithNode('the built package lists, creates, pages and fails as expected in Node', () =>
  usePackage(node ?? 'node'),
);

test('it does so in Bun', () => usePackage(process.execPath));

testWithNode('the examples of the README run unchanged', async () => {
  const readme = await Bun.file(join(root, 'README.md')).text();
  const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const account = await newAccount();
  const outputs: string[] = [];
  for (const [index, code] of examples.entries()) {
    await writeFile(join(project, `example-${index}.mjs`), code);
    const { exitCode, stdout, stderr } = await run([node ?? '', `example-${index}.mjs`], account);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    outputs.push(stdout + stderr);
  }
  expect(outputs).toHaveLength(5);
  expect(outputs[0]).toContain('looks after 0 servers');
  expect(outputs[3]).toContain('completed: 100 %');
  expect(outputs[4]).toContain('platformGuildId');
});

test('its declarations need nothing else, and have the types of the source', async () => {
  await cp(join(root, 'test/typed-user.ts'), join(project, 'typed-user.mts'));
  const compiler = join(root, '../../node_modules/typescript/bin/tsc');
  const strictly = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--types', ''];
  const asNodeDoes = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
  const command = [process.execPath, compiler, ...strictly, ...asNodeDoes, 'typed-user.mts'];
  const { exitCode, stdout } = await run(command);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
});

test('its compressed browser bundle is smaller than 15 kB', async () => {
  expect((await measureSize()).compressed).toBeLessThan(15_000);
});
