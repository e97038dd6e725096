import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { freshDatabase } from '../../../apps/server/test/harness/database.ts';
import {
  createKey,
  makeFolder,
  startService,
  stopServices,
  testWith,
} from '../../../apps/server/test/harness/running-service.ts';
import { buildPackage, measureSize } from '../build.ts';
import { hoverOver } from '../test/language-server.ts';
import { asCommonJs, installPacked, runIn } from '../test/packed-project.ts';

const root = join(import.meta.dir, '..');
const compiler = join(root, '../../node_modules/typescript/bin/tsc');
const node = Bun.which('node');
const testWithNode = testWith('node', node !== null);

let built: string;
/** A project that has installed the packed package, and nothing else. */
let project: string;
let serviceUrl: string;
let databaseUrl: string;

beforeAll(async () => {
  built = await makeFolder();
  project = await makeFolder();
  await buildPackage(built);
  await installPacked(built, project);
  databaseUrl = await freshDatabase();
  serviceUrl = (await startService({ DATABASE_URL: databaseUrl })).url;
});
afterAll(stopServices);

const readFile = (path: string): Promise<string> => Bun.file(join(root, path)).text();

const newAccount = async () => ({
  HOLDFAST_URL: serviceUrl,
  HOLDFAST_API_KEY: (await createKey(databaseUrl)).key,
});

const usePackage = async (runtime: string, ending: 'mjs' | 'cjs') => {
  const program = await readFile('test/plain-user.mjs');
  const text = ending === 'cjs' ? asCommonJs(program) : program;
  await writeFile(join(project, `plain-user.${ending}`), text);
  const command = [runtime, `plain-user.${ending}`];
  const { stdout, stderr } = await runIn(project, command, await newAccount());
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    names: ['Hafen – 港'],
    total: 1,
    isListedWhole: true,
    invalid: { fieldErrors: { id: ['Must be a UUID'] }, formErrors: [] },
    isUnreachable: true,
    aborted: 'enough',
    hasRequestId: true,
    isLeftToAsk: true,
    operations: true,
  });
};

testWithNode('the packed package works in Node as an ES module and as CommonJS', async () => {
  await usePackage(node ?? 'node', 'mjs');
  await usePackage(node ?? 'node', 'cjs');
});

test('it does so in Bun', async () => {
  await usePackage(process.execPath, 'mjs');
  await usePackage(process.execPath, 'cjs');
});

testWithNode('the examples of the README run unchanged', async () => {
  const readme = await readFile('README.md');
  const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const account = await newAccount();
  const outputs: string[] = [];
  for (const [index, code] of examples.entries()) {
    const name = `example-${index}.mjs`;
    await writeFile(join(project, name), code);
    const { exitCode, stdout, stderr } = await runIn(project, [node ?? '', name], account);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    outputs.push(stdout + stderr);
  }
  expect(outputs).toHaveLength(7);
  expect(outputs[0]).toContain('looks after 0 servers');
  expect(outputs[3]).toContain('completed: 100 %');
  expect(outputs[4]).toContain('platformGuildId');
  expect(outputs[5]).toMatch(/^listServers 200 [0-9a-f-]{36} \d+\n$/);
  expect(outputs[6]).toContain('DELETE /servers/:id');
});

test('the README has no links that work in the repository alone, and tells the measured size', async () => {
  const readme = await readFile('README.md');
  expect(readme.match(/\]\((?!https:)[^)]*\)/g)).toBeNull();
  const { compressed } = await measureSize();
  const toldKb = [readme, await readFile('../../README.md')].map((text) =>
    Number(/less than (\d+) kB/.exec(text)?.[1]),
  );
  expect(toldKb).toEqual([Math.ceil(compressed / 1000), Math.ceil(compressed / 1000)]);
});

test.each([
  ['an ES module', 'mts', 'nodenext'],
  ['a CommonJS module', 'cts', 'nodenext'],
  ['source for a bundler', 'ts', 'bundler'],
])(
  'its declarations have the types of the source and need nothing else, in %s',
  async (...given) => {
    const [, ending, resolution] = given;
    await writeFile(join(project, `typed-user.${ending}`), await readFile('test/typed-user.ts'));
    const strictly = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--types', ''];
    const module = ['--module', resolution === 'bundler' ? 'preserve' : resolution];
    const options = [...strictly, ...module, '--moduleResolution', resolution];
    const command = [process.execPath, compiler, ...options, '--target', 'es2023'];
    const libraries = ['--lib', 'es2023,dom', `typed-user.${ending}`];
    const { exitCode, stdout } = await runIn(project, [...command, ...libraries]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  },
);

test('an editor shows what the contract says of an operation and of its fields', async () => {
  const call = "createFirewallRule({ params: { id: '' }, body: { type: 'IP', value: '' } });";
  const program = `import { createHoldfast } from '@holdfast/sdk';
createHoldfast({ baseUrl: '' }).${call}`;
  const file = join(project, 'hover.mts');
  await writeFile(file, program);
  const [operation, field] = await hoverOver(file, ['createFirewallRule', 'value:']);
  expect(operation).toContain('Add a firewall rule.');
  expect(operation).toContain('stored in its canonical form');
  expect(operation).toContain('scope `firewall:write` and a plan with `hasFirewall`');
  expect(operation).toContain('409: The server already has a rule of this type and value.');
  expect(field).toContain('An address or CIDR block, a country code');
});

test('its manifest and files are as registries and bundlers want them', async () => {
  const { messages } = await publint({ pkgDir: built, strict: true, pack: false });
  expect(messages).toEqual([]);
  const {
    name,
    dependencies,
    private: isPrivate,
  } = await Bun.file(join(built, 'package.json')).json();
  expect([name, dependencies, isPrivate]).toEqual(['@holdfast/sdk', undefined, undefined]);
  const installed = join(project, 'node_modules/@holdfast/sdk');
  expect([...new Bun.Glob('*').scanSync(installed)].toSorted()).toEqual([
    ...['LICENSE', 'README.md', 'package.json'],
  ]);
});
