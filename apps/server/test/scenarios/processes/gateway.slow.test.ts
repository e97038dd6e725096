import { afterAll, beforeAll, expect, test } from 'bun:test';
import { generateMasterKey, parseKeyRing } from '../../../src/kernel/seal.ts';
import { createServer, newBotBody } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  type OwnTenant,
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../harness/service.ts';
import { type ServiceProcess, startProcess } from '../../harness/service-process.ts';
import { startTestSimulator, type TestSimulator } from '../../harness/simulator/start.ts';

const botCount = 200;
const heldAgainWithinMs = 30_000;
/** Far longer than the lease of a process, and than the time between two heartbeats. */
const suspendedMs = 60_000;
const madeAtOnce = 10;

type Bot = { platformId: string; owner: OwnTenant; serverId: string; guildId: string };

let simulator: TestSimulator;
let service: TestService;
let start: () => Promise<ServiceProcess>;
const processes: ServiceProcess[] = [];
const bots: Bot[] = [];

beforeAll(async () => {
  simulator = await startTestSimulator();
  const masterKey = generateMasterKey();
  const databaseUrl = await freshDatabase();
  const ring = parseKeyRing(masterKey);
  service = await startTestService({ databaseUrl, ring, platformApiUrl: simulator.apiUrl });
  start = async () => {
    const env = { ROLE: 'gateway', DATABASE_URL: databaseUrl, MASTER_KEYS: masterKey };
    const started = await startProcess({ ...env, PLATFORM_API_URL: simulator.apiUrl });
    processes.push(started);
    return started;
  };
  while (bots.length < botCount) {
    bots.push(...(await Promise.all(Array.from({ length: madeAtOnce }, newBot))));
  }
}, 300_000);

afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await Promise.all(processes.map(({ exited }) => exited));
  await service.stop();
  await simulator.stop();
});

/** A bot with a server; asking for its guild makes it a member there. */
const newBot = async (): Promise<Bot> => {
  const owner = await service.newTenant();
  const body = newBotBody();
  const created = await owner.call('POST', '/api/v1/bots', { body });
  const guildId = randomPlatformId();
  const serverId = await createServer(owner, {
    ...{ customBotId: created.body.data.id, platformGuildId: guildId },
  });
  return { platformId: body.clientId, owner, serverId, guildId };
};

type Session = { isConnected: boolean };
type SeenBot = { botId: string; identifies: number; sessions: Session[] };

const seenBots = async (): Promise<SeenBot[]> => {
  const { bots: seen } = await simulator.control('GET', '/gateway');
  const ours = new Set(bots.map(({ platformId }) => platformId));
  return seen.filter(({ botId }: SeenBot) => ours.has(botId));
};

/** How many bots each process holds. */
const readShares = async (): Promise<number[]> => {
  const rows = await service.db.$client`
    select count(*)::int as bots from gateway_connections
    where process_id is not null group by process_id`;
  return rows.map((row: { bots: number }) => row.bots);
};

/** The processes hold as many bots as said, and every bot has one session, which is connected. */
const expectHeld = async (shares: number[]) => {
  expect(await readShares()).toEqual(shares);
  const seen = await seenBots();
  expect(seen).toHaveLength(botCount);
  const wrong = seen.filter(
    ({ sessions }) => sessions.length !== 1 || !sessions.every((one) => one.isConnected),
  );
  expect(wrong).toEqual([]);
  const shown = await Promise.all(bots.map(({ owner }) => owner.call('GET', '/api/v1/bots')));
  const connections = new Set(shown.map(({ body }) => body.data[0].connection));
  expect([...connections]).toEqual(['CONNECTED']);
};

const allHeld = async (what: string, shares: number[]) => {
  const startedAt = performance.now();
  await eventually(heldAgainWithinMs, () => expectHeld(shares));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${what}: every bot is held ${seconds} s later\n`);
};

/** People join and leave all the time, until `stop`, which tells how many stayed in each guild. */
const startTraffic = () => {
  const stayed = new Map(bots.map(({ guildId }) => [guildId, 0]));
  let isOver = false;
  const run = async () => {
    for (let turn = 0; !isOver; turn++) {
      const { guildId } = bots[turn % bots.length] ?? { guildId: '' };
      const user = `/users/${randomPlatformId()}`;
      await simulator.control('PUT', user, { guildIds: [guildId] });
      if (turn % 3 === 0) await simulator.control('PUT', user, { guildIds: [] });
      else stayed.set(guildId, (stayed.get(guildId) ?? 0) + 1);
      await Bun.sleep(20);
    }
  };
  const running = run();
  return {
    async stop() {
      isOver = true;
      await running;
      return stayed;
    },
  };
};

const memberCounts = () =>
  Promise.all(
    bots.map(async ({ owner, serverId }) => {
      const { body } = await owner.call('GET', `/api/v1/servers/${serverId}`);
      return body.data.memberCount as number;
    }),
  );

const half = botCount / 2;

test('bots are held by one process each, through a kill and a long sleep, and hear everything once', async () => {
  const [first, second] = [await start(), await start()];
  await allHeld('after the start', [half, half]);
  const before = await memberCounts();
  const traffic = startTraffic();

  await Bun.sleep(2000);
  first.kill('SIGKILL');
  await first.exited;
  await allHeld('after SIGKILL', [botCount]);

  await start();
  await allHeld('after another start', [half, half]);
  const wokenAt = performance.now() + suspendedMs;
  second.kill('SIGSTOP');
  await allHeld('after SIGSTOP', [botCount]);
  await Bun.sleep(wokenAt - performance.now());
  await expectHeld([botCount]);
  second.kill('SIGCONT');
  // It notices, lets go of what is not its own, and gets its share anew.
  await allHeld('after SIGCONT', [half, half]);
  expect(second.output()).toContain('lost its hold');

  const stayed = await traffic.stop();
  const after = bots.map(({ guildId }, index) => (before[index] ?? 0) + (stayed.get(guildId) ?? 0));
  await eventually(10_000, async () => expect(await memberCounts()).toEqual(after));
  // Never a second session: every take-over resumed the first.
  const seen = await seenBots();
  expect(seen.filter(({ identifies }) => identifies !== 1)).toEqual([]);
}, 300_000);
