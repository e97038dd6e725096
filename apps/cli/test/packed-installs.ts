/**
 * The packed SDK and command line, installed into new projects under each runtime that they are made for.
 * Run by hand (`npm run packed`), because it downloads Node from the registry; the slow suite tries the
 * packed SDK under the runtimes that are there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPackage as buildSdk } from '../../../packages/sdk/build.ts';
import {
  asCommonJs,
  installPacked,
  npm,
  runIn,
} from '../../../packages/sdk/test/packed-project.ts';
import { freshDatabase } from '../../server/test/harness/database.ts';
import {
  createKey,
  makeFolder,
  startService,
  stopServices,
} from '../../server/test/harness/running-service.ts';
import { buildPackage as buildCli } from '../build.ts';
import manifest from '../package.json';

setDefaultTimeout(600_000);

const sdkTests = join(import.meta.dir, '../../../packages/sdk/test');

let sdkProject: string;
let cliProject: string;
let serviceUrl: string;
let databaseUrl: string;

beforeAll(async () => {
  const [sdk, cli] = [await makeFolder(), await makeFolder()];
  sdkProject = await makeFolder();
  cliProject = await makeFolder();
  await buildSdk(sdk);
  await buildCli(cli);
  await installPacked(sdk, sdkProject);
  await installPacked(cli, cliProject);
  databaseUrl = await freshDatabase();
  serviceUrl = (await startService({ DATABASE_URL: databaseUrl })).url;
});
afterAll(stopServices);

const newAccount = async () => ({
  HOLDFAST_URL: serviceUrl,
  HOLDFAST_API_KEY: (await createKey(databaseUrl)).key,
});

/** Node of that version, whose packages are named after the system that they are made for. */
const nodeOf = async (version: string): Promise<string> => {
  const folder = await makeFolder();
  const name = `node-${process.platform}-${process.arch}`;
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await npm(folder, 'install', '--silent', '--no-audit', `${name}@${version}`);
  return join(folder, 'node_modules', name, 'bin/node');
};

const useSdk = async (runtime: string, ending: 'mjs' | 'cjs') => {
  const program = await Bun.file(join(sdkTests, 'plain-user.mjs')).text();
  const name = `plain-user.${ending}`;
  await writeFile(join(sdkProject, name), ending === 'cjs' ? asCommonJs(program) : program);
  const { stdout, stderr } = await runIn(sdkProject, [runtime, name], await newAccount());
  expect(stderr).toBe('');
  const seen = JSON.parse(stdout);
  expect(seen).toMatchObject({ total: 1, isListedWhole: true, hasRequestId: true });
};

const useCli = async (runtime: string) => {
  const holdfast = join(cliProject, 'node_modules/@holdfast/cli/holdfast.mjs');
  const account = { ...(await newAccount()), HOME: cliProject };
  const run = (...given: string[]) => runIn(cliProject, [runtime, holdfast, ...given], account);
  expect((await run('--version')).stdout).toContain(manifest.version);
  const listed = await run('servers', 'list', '--json');
  expect({ ...listed, stdout: JSON.parse(listed.stdout) }).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
};

describe.each([
  ['Node 20', () => nodeOf('20')],
  ['Node 22', () => nodeOf('22')],
  ['Node 24', () => nodeOf('24')],
  ['Bun', async () => process.execPath],
])('under %s', (_, runtimeOf) => {
  let runtime: string;
  beforeAll(async () => {
    runtime = await runtimeOf();
    const { stdout } = await runIn('/', [runtime, '--version']);
    process.stdout.write(`${runtime}: ${stdout}`);
  });

  test('the SDK works as an ES module', () => useSdk(runtime, 'mjs'));
  test('the SDK works as CommonJS', () => useSdk(runtime, 'cjs'));
  test('the command line works', () => useCli(runtime));
});
