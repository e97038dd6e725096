import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDir } from '../../db/embedded/data-dir-lock.ts';
import { readConfig } from '../config.ts';
import { settleDataDir } from './data-dir.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-data-dir-'));
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'closed/project'), { recursive: true });
  await chmod(join(folder, 'closed'), 0o700);
  await mkdir(join(folder, 'open'), { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true }));

/** As if the code lay there, with the default of DATA_DIR. */
const settled = (project: string, uid: number, env: Record<string, string> = {}) => {
  const config = readConfig(env);
  const dataDir = join(folder, project, 'data');
  const usual = config.isDataDirSet ? config : { ...config, ...config.placesIn(dataDir) };
  return settleDataDir(usual, { uid, common: join(folder, 'common') });
};

test('root with code in a folder of its own keeps the data where the database can enter', () => {
  const { dataDir, masterKeyFile } = settled('closed/project', 0);
  expect(dataDir).toMatch(new RegExp(`^${folder}/common/project-[0-9a-f]{8}$`));
  expect(masterKeyFile).toBe(join(dataDir, 'master.keys'));
  expect(settled('closed/project', 0).dataDir).toBe(dataDir);
  expect(settled('closed/other', 0).dataDir).not.toBe(dataDir);
});

test('everybody else keeps it beside the code, and what is set or there already stays', async () => {
  expect(settled('open', 0).dataDir).toBe(join(folder, 'open/data'));
  expect(settled('closed/project', 1000).dataDir).toBe(join(folder, 'closed/project/data'));
  expect(settled('closed/project', 0, { DATA_DIR: '/root/mine' }).dataDir).toBe('/root/mine');
  const url = 'postgres://localhost/holdfast';
  const elsewhere = settled('closed/project', 0, { DATABASE_URL: url });
  expect(elsewhere.dataDir).toBe(join(folder, 'closed/project/data'));
  await mkdir(join(folder, 'closed/project/data/postgres'), { recursive: true });
  expect(settled('closed/project', 0).dataDir).toBe(join(folder, 'closed/project/data'));
});

test('every folder that is made on the way lets the user of the database pass', async () => {
  const umask = process.umask(0o077);
  const dataDir = join(folder, 'new/deep/data');
  const hold = await lockDataDir(dataDir);
  process.umask(umask);
  const expected = process.getuid?.() === 0 ? 0o711 : 0o700;
  for (const made of ['new', 'new/deep', 'new/deep/data']) {
    expect((await stat(join(folder, made))).mode & 0o777).toBe(expected);
  }
  await hold.release();
});
