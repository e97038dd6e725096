import { createHash, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../kernel/describe-error.ts';
import { parseJson } from '../../kernel/json.ts';
import { readIfPresent, runProgram } from './system.ts';

/** `processStartedAt` distinguishes a process from a later one with the same pid. */
const holderShape = z.object({
  pid: z.int().positive(),
  processStartedAt: z.string(),
  since: z.string(),
});
type Holder = z.infer<typeof holderShape>;

type Claim = { isOurs: true; text: string } | { isOurs: false; holder: Holder };

/** Makes this process the only one that uses the data folder, until `release` or its end. */
export async function lockDataDir(dataDir: string): Promise<{ release(): Promise<void> }> {
  await createDataDir(dataDir);
  const lockFile = join(dataDir, 'holdfast.lock');
  const claim = await claimLock(lockFile);
  if (!claim.isOurs) {
    const { pid, since } = claim.holder;
    throw new Error(
      `The data folder ${dataDir} is in use by Holdfast process ${pid} (since ${since}): stop it, or set DATA_DIR to another folder.`,
    );
  }
  return { release: () => releaseLock(lockFile, claim.text) };
}

/** Started by root, PostgreSQL runs as another user, who must be able to traverse every new folder. */
export async function createDataDir(dataDir: string): Promise<void> {
  const firstCreated = await mkdir(dataDir, { recursive: true });
  if (firstCreated === undefined) return;
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  const first = resolve(firstCreated);
  for (let made = resolve(dataDir); made.startsWith(first); made = dirname(made)) {
    await chmod(made, mode);
  }
}

/**
 * A stale lock is removed only under a second lock, named after a hash of the stale text. No text is
 * ever written twice, so no other process can remove the file between our last read and the removal,
 * and two processes never remove each other's fresh lock. The second lock may be stale too, left by a
 * process that was killed: it is claimed by the same rule.
 */
async function claimLock(lockFile: string): Promise<Claim> {
  const text = JSON.stringify(await describeProcess());
  for (;;) {
    if (await createWhole(lockFile, text)) return { isOurs: true, text };
    const found = await readIfPresent(lockFile);
    if (found === undefined) continue;
    const holder = await findLiveHolder(found);
    if (holder) return { isOurs: false, holder };
    await removeStale(lockFile, found);
  }
}

async function removeStale(lockFile: string, staleText: string): Promise<void> {
  const name = createHash('sha256').update(staleText).digest('hex').slice(0, 16);
  const removalFile = `${lockFile}.${name}`;
  const removal = await claimLock(removalFile);
  if (!removal.isOurs) return Bun.sleep(10);
  if ((await readIfPresent(lockFile)) === staleText) await rm(lockFile, { force: true });
  await releaseLock(removalFile, removal.text);
}

async function releaseLock(lockFile: string, text: string): Promise<void> {
  if ((await readIfPresent(lockFile)) === text) await rm(lockFile, { force: true });
}

/** Linked into place once its text is on disk, so that a lock is never read half-written. */
async function createWhole(lockFile: string, text: string): Promise<boolean> {
  const part = `${lockFile}.part-${randomUUID()}`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await link(part, lockFile);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

async function describeProcess(): Promise<Holder> {
  const { pid } = process;
  const processStartedAt = (await readProcessStart(pid)) ?? '';
  return { pid, processStartedAt, since: new Date().toISOString() };
}

async function findLiveHolder(text: string): Promise<Holder | undefined> {
  const holder = parseHolder(text);
  if (!holder) return undefined;
  return (await readProcessStart(holder.pid)) === holder.processStartedAt ? holder : undefined;
}

/** An invalid text, such as a power cut may leave, counts as a stale lock. */
function parseHolder(text: string): Holder | undefined {
  return holderShape.safeParse(parseJson(text)).data;
}

/** When the process started, in a form that stays the same while it runs; undefined if it is gone. */
async function readProcessStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return readLinuxStart(pid);
  const { code, output } =
    process.platform === 'win32'
      ? await runProgram('powershell', ['-NoProfile', '-Command', windowsQuery(pid)])
      : await runProgram('ps', ['-o', 'lstart=', '-p', String(pid)]);
  return code === 0 && output.trim() ? output.trim() : undefined;
}

/** proc(5): after the name in parentheses come state (field 3) and, as field 22, the start. */
async function readLinuxStart(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ');
  // A zombie has released everything.
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return `${bootId.trim()}:${fields[19]}`;
}

function windowsQuery(pid: number): string {
  return `(Get-Process -Id ${pid}).StartTime.Ticks`;
}
