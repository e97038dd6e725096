import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDir } from './data-dir-lock.ts';

const TIMEOUT_MS = 20_000;
const madeDirs: string[] = [];

afterAll(async () => {
  for (const dir of madeDirs) await rm(dir, { recursive: true, force: true });
});

test('the folder is created, locked, and free again after release', async () => {
  const dataDir = join(await makeDir(), 'deep', 'data');
  const first = await lockDataDir(dataDir);
  // Root's PostgreSQL is another user, who must be able to pass through.
  expect((await stat(dataDir)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  const lock: unknown = JSON.parse(await readFile(join(dataDir, 'holdfast.lock'), 'utf8'));
  expect(lock).toEqual({
    pid: process.pid,
    processStartedAt: expect.any(String),
    since: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  await expect(lockDataDir(dataDir)).rejects.toThrow(`in use by Holdfast process ${process.pid} `);
  await first.release();
  await first.release();
  expect(await readdir(dataDir)).toEqual([]);
  await (await lockDataDir(dataDir)).release();
});

test(
  'a folder held by another process is refused, naming that process',
  async () => {
    const dataDir = await makeDir();
    const holder = spawnHolder(dataDir);
    expect(await readAnswer(holder)).toBe('held');
    const { since } = JSON.parse(await readFile(join(dataDir, 'holdfast.lock'), 'utf8'));
    await expect(lockDataDir(dataDir)).rejects.toThrow(
      `The data folder ${dataDir} is in use by Holdfast process ${holder.pid} (since ${since}): stop it, or set DATA_DIR to another folder.`,
    );
    await end(holder);
  },
  TIMEOUT_MS,
);

test(
  'the lock of a killed process is taken over',
  async () => {
    const dataDir = await makeDir();
    await leaveStaleLock(dataDir);
    const next = await lockDataDir(dataDir);
    expect(await readdir(dataDir)).toEqual(['holdfast.lock']);
    await next.release();
  },
  TIMEOUT_MS,
);

test('a lock whose pid now belongs to a later process is taken over', async () => {
  const dataDir = await makeDir();
  const stale = { pid: process.pid, processStartedAt: 'earlier', since: new Date().toISOString() };
  await Bun.write(join(dataDir, 'holdfast.lock'), JSON.stringify(stale));
  await (await lockDataDir(dataDir)).release();
});

test('a lock file emptied by a power cut counts as stale', async () => {
  const dataDir = await makeDir();
  await Bun.write(join(dataDir, 'holdfast.lock'), '');
  await (await lockDataDir(dataDir)).release();
});

test('release does not remove a lock that now belongs to another process', async () => {
  const dataDir = await makeDir();
  const held = await lockDataDir(dataDir);
  await Bun.write(join(dataDir, 'holdfast.lock'), 'another');
  await held.release();
  expect(await readFile(join(dataDir, 'holdfast.lock'), 'utf8')).toBe('another');
});

test(
  'of eight processes that race for a stale lock exactly one wins',
  async () => {
    const dataDir = await makeDir();
    await leaveStaleLock(dataDir);
    const racers = Array.from({ length: 8 }, () => spawnHolder(dataDir));
    const answers = await Promise.all(racers.map(readAnswer));
    const winner = racers[answers.indexOf('held')];
    expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
    const refusals = answers.filter((answer) => answer.includes(`process ${winner?.pid} `));
    expect(refusals).toHaveLength(7);
    await Promise.all(racers.map(end));
  },
  TIMEOUT_MS,
);

async function makeDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-hold-'));
  madeDirs.push(dir);
  return dir;
}

async function leaveStaleLock(dataDir: string): Promise<void> {
  const holder = spawnHolder(dataDir);
  expect(await readAnswer(holder)).toBe('held');
  await end(holder);
}

type Holder = Bun.Subprocess<'pipe', 'pipe', 'inherit'>;

/** Says "held" or why not, and then stays until it is killed. */
function spawnHolder(dataDir: string): Holder {
  const script = `
    import { lockDataDir } from ${JSON.stringify(join(import.meta.dir, 'data-dir-lock.ts'))};
    const answer = await lockDataDir(${JSON.stringify(dataDir)}).then(() => 'held', (e) => e.message);
    process.stdout.write(answer);
    setInterval(() => undefined, 1000);
  `;
  return Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' });
}

async function readAnswer(holder: Holder): Promise<string> {
  const { value } = await holder.stdout.getReader().read();
  return new TextDecoder().decode(value);
}

async function end(holder: Holder): Promise<void> {
  holder.kill('SIGKILL');
  await holder.exited;
}
