import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readIfPresent } from '../../db/embedded/system.ts';
import { readSimulatorAddress, simulatorProgram } from '../../integrations/simulator/program.ts';
import type { Log } from '../../kernel/log.ts';
import { type AboutSimulator, identifyListener, takeOver } from './simulator-client.ts';

const stopMs = 3000;

type Simulator = { url: string; stop(): Promise<void> };

type Place = { folder: string; port: number; log: Log };

/**
 * The simulated platform of local mode, in a process and session of its own, so that neither Ctrl-C nor
 * a crash of the service ends it. Its owner stops it: the service that started it or, after that was
 * killed, the next one over the same data folder. Other services only join it.
 */
export const joinSimulator = async (
  { dataDir, simulatorPort }: { dataDir: string; simulatorPort: number },
  log: Log,
): Promise<Simulator> => {
  const place = { folder: resolve(dataDir), port: simulatorPort, log };
  await mkdir(place.folder, { recursive: true });
  await stopOnOtherPort(place);
  return (await joinRunning(place)) ?? startOwn(place);
};

type SimulatorSettings = {
  dataDir: string;
  simulatorPort: number;
  platform: { apiUrl: string | undefined };
};

/**
 * The address of the simulator, if one runs; nothing is started. The real platform is never asked,
 * because a simulator speaks plain HTTP.
 */
export const findSimulator = async (settings: SimulatorSettings): Promise<string | undefined> => {
  const { apiUrl } = settings.platform;
  const url =
    apiUrl === undefined
      ? ownUrl(settings.simulatorPort, await readRecord(resolve(settings.dataDir)))
      : new URL(apiUrl).origin;
  if (!url?.startsWith('http:')) return undefined;
  const found = await identifyListener(url);
  return found.is === 'simulator' ? url : undefined;
};

/** Stops a simulator on a port that is no longer set: two must not write the same state file. */
const stopOnOtherPort = async ({ folder, port }: Place): Promise<void> => {
  const recorded = await readRecord(folder);
  if (!recorded || port === 0 || recorded.url === loopbackUrl(port)) return;
  const found = await identifyListener(recorded.url);
  if (found.is !== 'simulator' || found.about.pid !== recorded.pid) return;
  if (!isOrphan(found.about)) return;
  await takeOver(recorded.url);
  await stopOwned(folder, recorded);
};

const loopbackUrl = (port: number) => `http://127.0.0.1:${port}`;

/** The address for the port that is set; for port 0, the one recorded in the data folder. */
const ownUrl = (port: number, recorded: Running | undefined): string | undefined =>
  port === 0 ? recorded?.url : loopbackUrl(port);

const joinRunning = async ({ folder, port }: Place): Promise<Simulator | undefined> => {
  const recorded = await readRecord(folder);
  const url = ownUrl(port, recorded);
  if (url === undefined) return undefined;
  const found = await identifyListener(url);
  if (found.is === 'simulator') {
    const isRecorded = found.about.pid === recorded?.pid;
    if (port === 0 && !isRecorded) return undefined;
    if (!isRecorded || !isOrphan(found.about)) return { url, stop: async () => undefined };
    await takeOver(url);
    return { url, stop: () => stopOwned(folder, { url, pid: found.about.pid }) };
  }
  if (found.is === 'otherProgram' && port !== 0) {
    throw new Error(
      `Port ${port} is in use by another program: set SIMULATOR_PORT to a free one for the platform simulator`,
    );
  }
  return undefined;
};

/** A simulator that was started by hand has no owner and is never stopped. */
const isOrphan = ({ ownerPid }: AboutSimulator): boolean =>
  ownerPid !== null && (ownerPid === process.pid || !isRunning(ownerPid));

const startOwn = async (place: Place): Promise<Simulator> => {
  const { folder, log } = place;
  if (!existsSync(simulatorProgram)) {
    throw new Error(
      'The platform simulator (packages/simulator) is missing: set PLATFORM_API_URL to where one runs',
    );
  }
  const child = await spawnSimulator(place);
  const url = await readSimulatorAddress(child);
  if (url === undefined || child.pid === undefined) {
    child.kill('SIGKILL');
    // When two services start together, the second one finds the port taken and joins.
    const faster = await joinRunning(place);
    if (faster) return faster;
    throw new Error(`The platform simulator did not start: ${await readErrorTail(folder)}`);
  }
  const running = { url, pid: child.pid };
  await writeRecord(folder, running);
  const logExit = (code: number | null, signal: string | null) =>
    log.error(
      { code, signal },
      'the platform simulator exited; restart the service to start another',
    );
  child.once('exit', logExit);
  const stop = async () => {
    child.off('exit', logExit);
    if (child.exitCode === null && child.signalCode === null) await stopOwned(folder, running);
  };
  return { url, stop };
};

const logFile = (folder: string) => join(folder, 'simulator.log');

/** Only the address comes through a pipe: a write into it after our exit would fail. */
const spawnSimulator = async ({ folder, port }: Place): Promise<ChildProcess> => {
  const errors = await open(logFile(folder), 'w', 0o600);
  try {
    await errors.chmod(0o600);
    return spawn(process.execPath, ['--no-env-file', simulatorProgram], {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'pipe', errors.fd],
      // None of our own environment, which may hold secrets.
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

const readErrorTail = async (folder: string): Promise<string> => {
  const text = await readFile(logFile(folder), 'utf8');
  const line = text.split('\n').find((one) => /error|fail/i.test(one));
  return `${line?.trim() ?? 'no error was logged'} (see ${logFile(folder)})`;
};

/** SIGTERM lets it write its state. A simulator that another service took over meanwhile stays. */
const stopOwned = async (folder: string, { url, pid }: Running): Promise<void> => {
  const found = await identifyListener(url);
  if (found.is === 'nothing') return dropRecord(folder, pid);
  if (found.is === 'simulator' && found.about.ownerPid !== process.pid) return;
  signalProcess(pid, 'SIGTERM');
  const deadline = performance.now() + stopMs;
  while (isRunning(pid) && performance.now() < deadline) await Bun.sleep(20);
  if (isRunning(pid)) signalProcess(pid, 'SIGKILL');
  await dropRecord(folder, pid);
};

const recordShape = z.object({ url: z.url({ protocol: /^http$/ }), pid: z.int().positive() });
type Running = z.infer<typeof recordShape>;

const recordFile = (folder: string) => join(folder, 'simulator.pid');

/** Which simulator the service of this data folder started last; undefined for a broken file. */
const readRecord = async (folder: string): Promise<Running | undefined> => {
  const text = await readIfPresent(recordFile(folder));
  try {
    return text === undefined ? undefined : recordShape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

const writeRecord = async (folder: string, running: Running): Promise<void> => {
  await writeFile(recordFile(folder), JSON.stringify(running), { mode: 0o600 });
  // The mode above applies only to a new file.
  await chmod(recordFile(folder), 0o600);
};

const dropRecord = async (folder: string, pid: number): Promise<void> => {
  if ((await readRecord(folder))?.pid === pid) await rm(recordFile(folder), { force: true });
};

/** A zombie can be signalled, but does not run. */
const isRunning = (pid: number): boolean =>
  signalProcess(pid, 0) && !/^\d+ \(.*\) [ZX]/s.test(readLinuxStat(pid));

/** False if there is no such process. */
const signalProcess = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // The process of another user cannot be signalled, but exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const readLinuxStat = (pid: number): string => {
  if (process.platform !== 'linux') return '';
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
};
