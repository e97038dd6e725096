import { join } from 'node:path';

/** Milliseconds, and every status that was answered with. */
export type Measured = { p50: number; p99: number; worst: number; statuses: number[] };

const measuredIn = (written: string): Measured => {
  const rows = written
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  const times = rows.map(([, tookMs = 0]) => tookMs).toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.ceil((times.length - 1) * part)] ?? 0);
  const statuses = [...new Set(rows.map(([, , status = 0]) => status))];
  return { p50: at(0.5), p99: at(0.99), worst: at(1), statuses };
};

const worker = join(import.meta.dir, '../workers/ask-again.ts');

/** Begins to ask; the function that it returns ends it. */
const askAgain = (address: string, key: string): (() => Promise<Measured>) => {
  const child = Bun.spawn([process.execPath, worker, address, key], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const written = new Response(child.stdout).text();
  return async () => {
    child.stdin.end();
    return measuredIn(await written);
  };
};

/** How long the loop of the service could not begin anything, in milliseconds, since this was last read. */
const readDelay = async (url: string): Promise<{ p99: number; worst: number }> => {
  const text = await (await fetch(`${url}/metrics`, { keepalive: false })).text();
  const msOf = (name: string) => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text);
    return Math.round(Number(seconds?.[1]) * 1000);
  };
  return { p99: msOf('p99'), worst: msOf('max') };
};

/** What the thread of the loop has computed so far, in milliseconds: other programs do not count. */
const readCpuMs = async (pid: number): Promise<number> => {
  const stat = await Bun.file(`/proc/${pid}/task/${pid}/stat`).text();
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
};

/**
 * How long a neighbour's simple request took during the work, one that asks for nothing but the loop, and
 * how long the loop was held.
 */
export const measureNeighbour = async <Result>(
  { url, key, pid }: { url: string; key: string; pid: number },
  work: () => Promise<Result>,
) => {
  const [ofAccount, ofLoop] = [
    askAgain(`${url}/api/v1/account`, key),
    askAgain(`${url}/healthz`, key),
  ];
  await Bun.sleep(500);
  await readDelay(url);
  const cpuBefore = await readCpuMs(pid);
  const result = await work();
  const cpuMs = (await readCpuMs(pid)) - cpuBefore;
  const delay = await readDelay(url);
  const [account, loop] = [await ofAccount(), await ofLoop()];
  return { result, account, loop, delay, cpuMs };
};
