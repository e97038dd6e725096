import { describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig } from '../config.ts';
import { availableCores } from './available-cores.ts';
import { connectionsOf, planProcesses } from './plan-processes.ts';

const linux = { platform: 'linux' as const, cores: 8 };
const planOf = (
  env: Record<string, string>,
  machine: Parameters<typeof planProcesses>[1] = linux,
) => planProcesses(readConfig(env), machine);

describe('PROCESSES', () => {
  test('is one where it is not set', () => {
    expect(planOf({})).toEqual({ count: 1 });
  });

  test('is as many as the cores with auto, as far as there are connections for them', () => {
    expect(planOf({ PROCESSES: 'auto', DB_POOL: '48' })).toEqual({ count: 8 });
    const { count, note } = planOf({ PROCESSES: 'auto', DB_POOL: '20' });
    expect(count).toBe(3);
    expect(note).toContain('DB_POOL=48');
    expect(planOf({ PROCESSES: 'auto', DB_POOL: '2' }).count).toBe(1);
  });

  test('is refused when it is no number, or more than there are connections for', () => {
    for (const PROCESSES of ['all', '0', '1.5', '-2', '65']) {
      expect(() => readConfig({ PROCESSES })).toThrow(
        'Must be a number from 1 to 64, or auto\n  → at PROCESSES',
      );
    }
    expect(() => readConfig({ PROCESSES: '3' })).toThrow('PROCESSES=3 needs DB_POOL=18 or more');
    expect(planOf({ PROCESSES: '3', DB_POOL: '18' })).toEqual({ count: 3 });
  });

  test('is one for a worker and a gateway, whatever the setting that they share', () => {
    for (const ROLE of ['worker', 'gateway']) {
      expect(planOf({ PROCESSES: '16', ROLE })).toEqual({ count: 1 });
    }
  });

  test('is one elsewhere than on Linux, which is said', () => {
    const { count, note } = planOf({ PROCESSES: '2' }, { platform: 'darwin', cores: 8 });
    expect(count).toBe(1);
    expect(note).toContain('on Linux only');
  });

  test('divides the connections so that none is left and none added', () => {
    const shares = [0, 1, 2].map((place) => connectionsOf(place, 3, 20));
    expect(shares).toEqual([7, 7, 6]);
  });
});

describe('the cores that are available', () => {
  const withFiles = async (files: Record<string, string>) => {
    const root = await mkdtemp(join(tmpdir(), 'holdfast-cgroup-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const cores = availableCores(root, 8);
    await rm(root, { recursive: true });
    return cores;
  };

  test('are those of the machine without a quota', async () => {
    expect(await withFiles({})).toBe(8);
    const files = { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': 'max 100000\n' };
    expect(await withFiles(files)).toBe(8);
  });

  test('are those of the smallest quota of its cgroup and all above it', async () => {
    const files = {
      'proc/self/cgroup': '0::/system.slice/holdfast.service\n',
      'sys/fs/cgroup/system.slice/cpu.max': '250000 100000\n',
      'sys/fs/cgroup/system.slice/holdfast.service/cpu.max': '400000 100000\n',
    };
    expect(await withFiles(files)).toBe(2);
    const tight = { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '50000 100000\n' };
    expect(await withFiles(tight)).toBe(1);
  });

  test('are read from the older kind of cgroup as well', async () => {
    const folder = 'sys/fs/cgroup/cpu,cpuacct/docker/1';
    const files = {
      'proc/self/cgroup': '4:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n',
      [`${folder}/cpu.cfs_quota_us`]: '300000\n',
      [`${folder}/cpu.cfs_period_us`]: '100000\n',
    };
    expect(await withFiles(files)).toBe(3);
  });
});
