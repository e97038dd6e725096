import { afterAll, expect, test } from 'bun:test';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { includedBy, parseDockerfile } from '../../../../../deploy/image/dockerfile.ts';
import { runProgram } from '../../../../../deploy/image/program.ts';
import { secretSettings } from '../../../src/main/secret-files.ts';
import { makeFolder, stopServices, testWith } from '../../harness/running-service.ts';

afterAll(stopServices);

const repository = join(import.meta.dir, '../../../../..');
const read = (path: string) => readFile(join(repository, path), 'utf8');

type Composed = {
  services: Record<
    string,
    {
      image: string;
      environment?: Record<string, string>;
      healthcheck?: object;
      deploy: { resources: { limits: { cpus: number; memory: string } } };
    } & Record<string, unknown>
  >;
};

const compose = Bun.which('docker-compose');

testWith('docker-compose', compose !== null)(
  'compose.yaml is valid, and bounds and locks down every service',
  async () => {
    const env = { PATH: process.env.PATH ?? '', PLATFORM_CLIENT_ID: '1' };
    const text = await runProgram(['docker-compose', 'config'], { cwd: repository, env });
    const { services }: Composed = Bun.YAML.parse(text) as Composed; // what the program itself printed
    expect(Object.keys(services).sort()).toEqual(
      ['api', 'gateway', 'postgres', 'redis', 'store', 'worker'].sort(),
    );
    const { version } = JSON.parse(await read('package.json'));
    for (const [name, service] of Object.entries(services)) {
      const { limits } = service.deploy.resources;
      expect([name, service.read_only, service.cap_drop]).toEqual([name, true, ['ALL']]);
      expect(limits).toEqual({ cpus: expect.any(Number), memory: expect.any(String) });
      const isOurs = ['api', 'worker', 'gateway'].includes(name);
      if (isOurs) expect(service.image).toBe(`holdfast:${version}`);
      else expect(service.healthcheck).toBeDefined();
      const known = secretSettings.map((setting) => `${setting}_FILE`);
      const asFiles = Object.keys(service.environment ?? {}).filter((key) => key.endsWith('_FILE'));
      if (isOurs) expect(asFiles.filter((key) => !known.includes(key))).toEqual([]);
    }
  },
);

testWith('systemd-analyze', Bun.which('systemd-analyze') !== null)(
  'the units of systemd are valid and leave little to an intruder',
  async () => {
    const folder = await makeFolder();
    const units = join(repository, 'deploy/systemd');
    for (const name of await readdir(units)) {
      const text = await readFile(join(units, name), 'utf8');
      // Units are checked for programs that are not there.
      await writeFile(
        join(folder, name),
        text.replace('/opt/holdfast/bin', join(repository, 'deploy/bin')),
      );
      const path = join(folder, name);
      const { stderr, success } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', path]);
      expect([name, success, stderr.toString()]).toEqual([name, true, '']);
      const judge = ['systemd-analyze', 'security', '--offline=yes', '--threshold=20', path];
      expect([name, Bun.spawnSync(judge).success]).toEqual([name, true]);
    }
  },
);

test('the secrets of compose.yaml are made once, and are asked for where they cannot be made', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, 'deploy'));
  await cp(join(repository, 'deploy/make-secrets'), join(folder, 'deploy/make-secrets'));
  const make = (env: Record<string, string>) =>
    Bun.spawnSync([join(folder, 'deploy/make-secrets')], {
      env: { PATH: process.env.PATH ?? '', ...env },
    });
  const refused = make({});
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr.toString()).toContain('PLATFORM_CLIENT_SECRET');
  expect(make({ PLATFORM_CLIENT_SECRET: 'hidden' }).exitCode).toBe(0);
  const secrets = async () => {
    const names = (await readdir(join(folder, 'secrets'))).sort();
    const texts = names.map((name) => readFile(join(folder, 'secrets', name), 'utf8'));
    return Object.fromEntries((await Promise.all(texts)).map((text, at) => [names[at], text]));
  };
  const first = await secrets();
  expect(make({ PLATFORM_CLIENT_SECRET: 'another' }).exitCode).toBe(0);
  expect(await secrets()).toEqual(first);
  const listed = [...(await read('compose.yaml')).matchAll(/file: \.\/secrets\/([\w-]+)/g)];
  expect(Object.keys(first)).toEqual(listed.map(([, name = '']) => name).sort());
});

test('nothing but sources is sent to the build of the image, and no secret is in its layers', async () => {
  const isIncluded = includedBy(await read('.dockerignore'));
  const kept = ['package-lock.json', 'apps/server/src/main/start.ts', 'docs/guides/hosting.md'];
  const leftOut = [
    '.env',
    '.git/config',
    'secrets/master-keys',
    'data/master.keys',
    'node_modules/x',
  ];
  expect([...kept, ...leftOut].filter(isIncluded)).toEqual(kept);
  expect(['apps/server/node_modules/x', 'apps/server/.env'].filter(isIncluded)).toEqual([]);
  const steps = parseDockerfile(await read('Dockerfile')).flatMap((stage) => stage.steps);
  const variables = steps.filter(({ word }) => word === 'ENV' || word === 'ARG');
  for (const { rest } of variables) {
    expect(secretSettings.filter((name) => rest.includes(name))).toEqual([]);
  }
});
