import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Log } from '../kernel/log.ts';
import { type AboutSimulator, askWhoIsThere, takeOver } from './simulator-control.ts';
import {
  dropRecord,
  isRunning,
  type Running,
  readRecord,
  signalProcess,
  writeRecord,
} from './simulator-record.ts';

/** Started as a program and spoken to over HTTP: nothing of it is imported. */
const program = join(import.meta.dir, '../../../../packages/simulator/src/main.ts');

const startMs = 20_000;
const stopMs = 3000;

export type Simulator = { url: string; stop(): Promise<void> };

type Place = { folder: string; port: number; log: Log };

/**
 * The pretend platform of local mode, in a process and a session of its own: neither Ctrl-C nor a
 * crash of the service takes it along. Whoever owns it stops it: the service that started it, or the
 * next one over the same data folder after that one was killed. Everybody else only joins it.
 */
export const joinSimulator = async (
  { dataDir, simulatorPort }: { dataDir: string; simulatorPort: number },
  log: Log,
): Promise<Simulator> => {
  const place = { folder: resolve(dataDir), port: simulatorPort, log };
  await mkdir(place.folder, { recursive: true });
  await retireElsewhere(place);
  return (await joinRunning(place)) ?? startOwn(place);
};

type Whereabouts = {
  dataDir: string;
  simulatorPort: number;
  platform: { apiUrl: string | undefined };
};

/**
 * The address of the simulator that is the platform here, where one runs; nothing is started. The
 * real platform is never asked whether it is one: simulators speak plain HTTP.
 */
export const findSimulator = async (where: Whereabouts): Promise<string | undefined> => {
  const { apiUrl } = where.platform;
  const url =
    apiUrl === undefined
      ? ownUrl(where.simulatorPort, await readRecord(resolve(where.dataDir)))
      : new URL(apiUrl).origin;
  if (!url?.startsWith('http:')) return undefined;
  const found = await askWhoIsThere(url);
  return found.is === 'simulator' ? url : undefined;
};

/** Left behind on a port that is no longer set; two must not write the same state. */
const retireElsewhere = async ({ folder, port }: Place): Promise<void> => {
  const remembered = await readRecord(folder);
  if (!remembered || port === 0 || remembered.url === loopbackUrl(port)) return;
  const found = await askWhoIsThere(remembered.url);
  if (found.is !== 'simulator' || found.about.pid !== remembered.pid) return;
  if (!isOrphan(found.about)) return;
  await takeOver(remembered.url);
  await stopOwned(folder, remembered);
};

const loopbackUrl = (port: number) => `http://127.0.0.1:${port}`;

/** The one on the port that is set; where any port will do, the one this data folder remembers. */
const ownUrl = (port: number, remembered: Running | undefined): string | undefined =>
  port === 0 ? remembered?.url : loopbackUrl(port);

const joinRunning = async ({ folder, port }: Place): Promise<Simulator | undefined> => {
  const remembered = await readRecord(folder);
  const url = ownUrl(port, remembered);
  if (url === undefined) return undefined;
  const found = await askWhoIsThere(url);
  if (found.is === 'simulator') {
    const isRemembered = found.about.pid === remembered?.pid;
    if (port === 0 && !isRemembered) return undefined;
    if (!isRemembered || !isOrphan(found.about)) return { url, stop: async () => undefined };
    await takeOver(url);
    return { url, stop: () => stopOwned(folder, { url, pid: found.about.pid }) };
  }
  if (found.is === 'stranger' && port !== 0) {
    throw new Error(
      `Port ${port} is in use by another program: set SIMULATOR_PORT to a free one for the platform simulator`,
    );
  }
  return undefined;
};

/** One that was started by hand has no owner, and is nobody's to stop. */
const isOrphan = ({ ownerPid }: AboutSimulator): boolean =>
  ownerPid !== null && (ownerPid === process.pid || !isRunning(ownerPid));

const startOwn = async (place: Place): Promise<Simulator> => {
  const { folder, log } = place;
  if (!existsSync(program)) {
    throw new Error(
      'The platform simulator (packages/simulator) is missing: set PLATFORM_API_URL to where one runs',
    );
  }
  const child = await spawnSimulator(place);
  const url = await readAddress(child);
  if (url === undefined || child.pid === undefined) {
    child.kill('SIGKILL');
    // Of two services that start together one is faster; the other finds the port taken and joins.
    const faster = await joinRunning(place);
    if (faster) return faster;
    throw new Error(`The platform simulator did not start: ${await readLastWords(folder)}`);
  }
  const running = { url, pid: child.pid };
  await writeRecord(folder, running);
  const tellOfDeath = (code: number | null, signal: string | null) =>
    log.error({ code, signal }, 'the platform simulator ended by itself; restart to get another');
  child.once('exit', tellOfDeath);
  const stop = async () => {
    child.off('exit', tellOfDeath);
    if (child.exitCode === null && child.signalCode === null) await stopOwned(folder, running);
  };
  return { url, stop };
};

const logFile = (folder: string) => join(folder, 'simulator.log');

/** Only its address comes through a pipe: whoever writes into one after our end would fail. */
const spawnSimulator = async ({ folder, port }: Place): Promise<ChildProcess> => {
  const errors = await open(logFile(folder), 'w', 0o600);
  try {
    await errors.chmod(0o600);
    return spawn(process.execPath, ['--no-env-file', program], {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'pipe', errors.fd],
      // Of our own environment nothing: it may hold secrets.
      env: {
        PATH: process.env.PATH,
        SIMULATOR_PORT: String(port),
        SIMULATOR_STATE_FILE: join(folder, 'simulator.json'),
        SIMULATOR_OWNER_PID: String(process.pid),
      },
    });
  } finally {
    await errors.close();
  }
};

/** Undefined where it ended, or was silent for too long. */
const readAddress = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((settle) => {
    const late = setTimeout(settle, startMs, undefined);
    const end = (url: string | undefined) => {
      clearTimeout(late);
      settle(url);
    };
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      const url = /(http:\/\/\S+)\/api\/v10\n/.exec(said)?.[1];
      if (url) end(url);
    });
    child.once('exit', () => end(undefined));
    child.once('error', () => end(undefined));
  });

const readLastWords = async (folder: string): Promise<string> => {
  const text = await readFile(logFile(folder), 'utf8');
  const words = text.split('\n').find((line) => /error|fail/i.test(line));
  return `${words?.trim() ?? 'it said nothing'} (all of it in ${logFile(folder)})`;
};

/** Its state is written before it ends. One that another service took over in the meantime stays. */
const stopOwned = async (folder: string, { url, pid }: Running): Promise<void> => {
  const found = await askWhoIsThere(url);
  if (found.is === 'nobody') return dropRecord(folder, pid);
  if (found.is === 'simulator' && found.about.ownerPid !== process.pid) return;
  signalProcess(pid, 'SIGTERM');
  const deadline = performance.now() + stopMs;
  while (isRunning(pid) && performance.now() < deadline) await Bun.sleep(20);
  if (isRunning(pid)) signalProcess(pid, 'SIGKILL');
  await dropRecord(folder, pid);
};
