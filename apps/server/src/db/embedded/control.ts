import { chmod, chown, open, readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Places } from './cluster.ts';
import { findPostmaster, removeStalePidFile } from './postmaster.ts';
import { type RunAs, runProgram, statIfPresent } from './system.ts';

type Control = { places: Places; pgCtl: string; runAs: RunAs | undefined };

const LOG_LIMIT_BYTES = 10_000_000;
const LOG_TAIL_LINES = 20;

/** Processes of a killed server end, and release its shared memory, only after a while. */
const RETRY_MS = 20_000;
const TRANSIENT_ERRORS = [
  'pre-existing shared memory block',
  'lock file "postmaster.pid" already exists',
  // Another program took the free port before the start.
  'could not create any TCP/IP sockets',
];

/** Long, because after a crash the server first replays its write-ahead log. */
const START_SECONDS = 300;
const STOP_SECONDS = 60;

export async function startServer(control: Control): Promise<void> {
  const { places } = control;
  await prepareLog(control);
  const deadline = performance.now() + RETRY_MS;
  for (;;) {
    await removeStalePidFile(places.clusterDir);
    const output = await tryStart(control);
    if (output === undefined) return;
    const isTransient = TRANSIENT_ERRORS.some((message) => output.includes(message));
    if (!isTransient || performance.now() > deadline) {
      throw new Error(
        `PostgreSQL did not start; the end of ${places.logFile}:\n${await readLogTail(places)}`,
      );
    }
    await Bun.sleep(250);
  }
}

/** A fast shutdown: open transactions are rolled back, everything else is on disk. */
export async function stopServer({ places, pgCtl, runAs }: Control): Promise<void> {
  const { clusterDir } = places;
  if (!(await findPostmaster(clusterDir))) return;
  const args = ['stop', '-D', clusterDir, '-m', 'fast', '-w', '-t', String(STOP_SECONDS), '-s'];
  const { code, output } = await runProgram(pgCtl, args, { runAs });
  if (code === 0 || !(await findPostmaster(clusterDir))) return;
  throw new Error(`PostgreSQL did not stop (${output.trim()}):\n${await readLogTail(places)}`);
}

export async function readLogTail({ logFile }: Places): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

/** The log of a failed attempt; undefined if the server is ready. */
async function tryStart({ places, pgCtl, runAs }: Control): Promise<string | undefined> {
  const { clusterDir, logFile } = places;
  const log = await open(logFile, 'a');
  try {
    const { size } = await log.stat();
    const options = serverOptions(await findFreePort());
    const wait = ['-w', '-t', String(START_SECONDS), '-s'];
    const args = ['start', '-D', clusterDir, '-l', logFile, '-o', options, ...wait];
    const { code, output } = await runProgram(pgCtl, args, { runAs, logDescriptor: log.fd });
    if (code === 0) return undefined;
    if (output) await log.write(`${output}\n`);
    return (await readFile(logFile)).subarray(size).toString();
  } finally {
    await log.close();
  }
}

/** On the command line, so that no edit of postgresql.conf can open the server to the network. */
function serverOptions(port: number): string {
  return [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
    .map((setting) => `-c ${setting}`)
    .join(' ');
}

async function prepareLog({ places: { logFile }, runAs }: Control): Promise<void> {
  const existing = await statIfPresent(logFile);
  if (existing && existing.size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
  await (await open(logFile, 'a', 0o600)).close();
  await chmod(logFile, 0o600);
  if (runAs) await chown(logFile, runAs.uid, runAs.gid);
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('The operating system gave no free port.'));
      });
    });
  });
}
