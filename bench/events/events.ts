import { eventsPath } from '@holdfast/contract';
import { sha256Hex } from '../../apps/server/src/kernel/hash.ts';
import { newToken } from '../../apps/server/src/kernel/ids.ts';
import { createBot, createServer } from '../lib/contents.ts';
import { type Bench, startBench, type Tenant } from '../lib/environment.ts';
import { print, printTable, verdict } from '../lib/print.ts';
import { processorMs, residentMiB } from '../lib/processes.ts';
import { insertSessionOf, insertSignedIn } from './queries.ts';

const streams = 500;
/** Of the account that changes; the others have one each. */
const ownStreams = 5;
const phaseMs = 30_000;
const changesPerSecond = 20;
/** The runtime goes on compiling for some seconds of load. */
const warmUpMs = 10_000;
const goals = { kiBPerStream: 64, idlePercent: 3, changingRatio: 1.25 };

type Changing = { tenant: Tenant; serverId: string };
type Phase = { usedMs: number; percent: number; residentMiB: number; changes: number };

/** What open dashboards cost an API process, while nothing happens and while one account changes. */
export const measureEvents = async (): Promise<void> => {
  const bench = await startBench({ ROLE: 'api' });
  try {
    print(`events: ${streams} open streams, phases of ${phaseMs / 1000} s`);
    const changing = await prepare(bench);
    await change(bench, changing, warmUpMs);
    const without = await measurePhases(bench, changing);
    const open = await openStreams(bench, changing);
    const withStreams = await measurePhases(bench, changing);
    const told = open.told();
    open.close();
    report(without, withStreams, told);
  } finally {
    await bench.stop();
  }
};

const prepare = async (bench: Bench): Promise<Changing> => {
  const tenant = await bench.newTenant();
  const botId = await createBot(bench, tenant, 1);
  return { tenant, serverId: await createServer(bench, tenant, botId, 1) };
};

/** Changes the server's name at the pace, or slower on a busy machine; returns how often. */
const change = async (bench: Bench, { tenant, serverId }: Changing, forMs: number) => {
  const endsAt = performance.now() + forMs;
  let count = 0;
  for (; performance.now() < endsAt; count++) {
    const answer = await fetch(`${bench.service.url}/api/v1/servers/${serverId}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Community ${count}` }),
    });
    if (answer.status !== 200) throw new Error(`PUT: ${await answer.text()}`);
    await answer.arrayBuffer();
    await Bun.sleep(1000 / changesPerSecond);
  }
  return count;
};

const doNothing = async () => {
  await Bun.sleep(phaseMs);
  return 0;
};

const measurePhases = async (bench: Bench, changing: Changing) => {
  const { pid } = bench.service;
  const measure = async (work: () => Promise<number>): Promise<Phase> => {
    const before = { processor: await processorMs(pid), at: performance.now() };
    const changes = await work();
    const usedMs = (await processorMs(pid)) - before.processor;
    const percent = (usedMs / (performance.now() - before.at)) * 100;
    return { usedMs, percent, changes, residentMiB: await residentMiB(pid) };
  };
  return {
    idle: await measure(doNothing),
    changing: await measure(() => change(bench, changing, phaseMs)),
  };
};

const openStreams = async (bench: Bench, { tenant }: Changing) => {
  const own = newToken();
  await insertSessionOf(bench.sql, tenant.accountId, sha256Hex(own));
  const others = Array.from({ length: streams - ownStreams }, newToken);
  await insertSignedIn(bench.sql, others.map(sha256Hex));
  const tokens = [...Array.from({ length: ownStreams }, () => own), ...others];
  const opened = await Promise.all(tokens.map((token) => openStream(bench.service.url, token)));
  return {
    /** How many events came to the account that changed, and to all others. */
    told: () => ({
      own: sum(opened.slice(0, ownStreams)) / ownStreams,
      others: sum(opened.slice(ownStreams)),
    }),
    close: () => {
      for (const { close } of opened) close();
    },
  };
};

type Opened = { events(): number; close(): void };

const sum = (opened: readonly Opened[]): number =>
  opened.reduce((total, { events }) => total + events(), 0);

/** A bare socket that only counts: the client shares the cores with what is measured. */
const openStream = async (origin: string, token: string): Promise<Opened> => {
  const { hostname, port, host } = new URL(origin);
  const isOpen = Promise.withResolvers<void>();
  let events = 0;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        const text = chunk.toString('latin1');
        if (text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200')) {
          isOpen.reject(new Error(text));
        }
        isOpen.resolve();
        events += text.split('data: ').length - 1;
      },
      close: () => isOpen.reject(new Error('A stream was closed')),
    },
  });
  const head = [`GET ${eventsPath} HTTP/1.1`, `Host: ${host}`, `Cookie: __Host-session=${token}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await isOpen.promise;
  return { events: () => events, close: () => socket.end() };
};

const msPerChange = ({ usedMs, changes }: Phase): number => usedMs / changes;

type Phases = Awaited<ReturnType<typeof measurePhases>>;

const report = (without: Phases, withStreams: Phases, told: { own: number; others: number }) => {
  const row = (name: string, { percent, changes, residentMiB: size }: Phase) => [
    ...[name, String(changes)],
    `${percent.toFixed(2)} %`,
    `${size.toFixed(1)} MiB`,
  ];
  printTable(
    ['', 'changes', 'processor', 'memory'],
    [
      row('idle, no stream', without.idle),
      row(`idle, ${streams} streams`, withStreams.idle),
      row('changing, no stream', without.changing),
      row(`changing, ${streams} streams`, withStreams.changing),
    ],
  );
  const grownMiB = withStreams.changing.residentMiB - without.changing.residentMiB;
  const kiBPerStream = (grownMiB * 1024) / streams;
  const ratio = msPerChange(withStreams.changing) / msPerChange(without.changing);
  const isReached =
    kiBPerStream <= goals.kiBPerStream &&
    withStreams.idle.percent <= goals.idlePercent &&
    ratio <= goals.changingRatio &&
    told.others === 0;
  print(
    `  ${kiBPerStream.toFixed(0)} KiB a stream, processor ratio per change ${ratio.toFixed(2)}; each stream of the changing account got ${told.own.toFixed(0)} events, all others together ${told.others}`,
  );
  print(
    `  at most ${goals.kiBPerStream} KiB, ${goals.idlePercent} % idle, ratio ${goals.changingRatio}, nothing for others: ${verdict(isReached)}\n`,
  );
};
