import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildImage, type Image } from '../../../../../deploy/image/build-image.ts';
import { neededPrograms } from '../../../../../deploy/image/debian-root.ts';
import { runProgram } from '../../../../../deploy/image/program.ts';
import { startImage } from '../../../../../deploy/image/start-image.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { makeFolder, stopServices, testWith } from '../../harness/running-service.ts';
import { freePort } from '../../harness/service-process.ts';

setDefaultTimeout(1_200_000);
afterAll(stopServices);

const repository = join(import.meta.dir, '../../../../..');

/** A root of its own with its own mounts, which only root can make. */
const canEnterRoots =
  neededPrograms.every((program) => Bun.which(program) !== null) &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(['unshare', '--mount', 'true']).success;

/**
 * The first stage installs all modules, which takes minutes: `npm run image` does that too. Here the
 * archive is made of those that are installed.
 */
const build = async (folder: string): Promise<Image> => {
  if (process.env.HOLDFAST_IMAGE_STAGES === 'all') return buildImage(repository, folder);
  const packed = join(folder, 'packed');
  const packaging = [process.execPath, 'deploy/package/main.ts'];
  await runProgram([...packaging, '--folder', join(packed, 'opt/holdfast')], { cwd: repository });
  return buildImage(repository, folder, new Map([['build', packed]]));
};

/** As compose.yaml gives them. */
const writeSecrets = async (
  folder: string,
  databaseUrl: string,
): Promise<Record<string, string>> => {
  await mkdir(folder, { mode: 0o755 });
  const key = Buffer.alloc(32, 7).toString('base64');
  await writeFile(join(folder, 'database-url'), `${databaseUrl}\n`);
  await writeFile(join(folder, 'master-keys'), `k1:${key}\n`);
  await writeFile(join(folder, 'platform-client-secret'), 'a client secret\n');
  return {
    DATABASE_URL_FILE: '/run/secrets/database-url',
    MASTER_KEYS_FILE: '/run/secrets/master-keys',
    PLATFORM_CLIENT_SECRET_FILE: '/run/secrets/platform-client-secret',
    PLATFORM_CLIENT_ID: '498605767562051586',
  };
};

testWith('mmdebstrap and the right to mount', canEnterRoots)(
  'the image answers from a clean Debian with a read-only root, as its own user, and drains on SIGTERM',
  async () => {
    const folder = await makeFolder();
    const image = await build(folder);
    const secrets = join(folder, 'secrets');
    const port = String(freePort());
    const env = {
      ...(await writeSecrets(secrets, await freshDatabase())),
      ...{ PORT: port, HOST: '127.0.0.1', DRAIN_SECONDS: '0.3' },
      BASE_URL: 'https://holdfast.example',
    };
    const runInside = async (command: string[]) => {
      const { child } = startImage(image, { env, secrets, command });
      const output = await new Response(child.stdout).text();
      return { output, code: await child.exited };
    };

    const written = await runInside([
      'sh',
      '-c',
      'id -u; touch /tmp/x && ! touch /x /opt/holdfast/x',
    ]);
    expect(written).toEqual({ output: '10001\n', code: 0 });
    expect((await runInside(image.healthCheck)).code).toBe(1);

    const service = startImage(image, { env, secrets });
    const problems = new Response(service.child.stderr).text();
    const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await Promise.race([
      eventually(60_000, async () => expect((await at('/healthz')).status).toBe(200)),
      problems.then((text) => Promise.reject(new Error(`The service ended: ${text}`))),
    ]);

    expect((await runInside(image.healthCheck)).code).toBe(0);
    const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t10001\t10001/m);
    // The pages are made of files that the archive must contain.
    const page = await (await at('/dashboard')).text();
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
    for (const path of [script, '/', '/docs', '/guides', '/guides/hosting', '/readyz']) {
      expect([path, (await at(path)).status]).toEqual([path, 200]);
    }
    const create = ['holdfast-admin', 'create-key', '--platform-id', '1000', '--plan', 'PREMIUM'];
    const { output } = await runInside([...create, '--scopes', '*', '--name', 'first']);
    const headers = { Authorization: `Bearer ${JSON.parse(output).key}` };
    const account = await fetch(`http://127.0.0.1:${port}/api/v1/account`, { headers });
    expect(account.status).toBe(200);

    service.stop();
    expect(await service.child.exited).toBe(0);
    await rm(folder, { recursive: true });
  },
);
