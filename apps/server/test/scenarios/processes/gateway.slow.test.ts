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

const botCount = 20;
const heldAgainWithinMs = 30_000;
/** Longer than the lease of a process. */
const suspendedMs = 22_000;

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
  for (let count = 0; count < botCount; count++) bots.push(await newBot());
}, 300_000);

afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await Promise.all(processes.map(({ exited }) => exited));
  await service.stop();
  await simulator.stop();
}, 60_000);

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
type SeenBot = { botId: string; identifies: number; resumes: number; sessions: Session[] };

const seenBots = async (): Promise<SeenBot[]> => {
  const { bots: seen } = await simulator.control('GET', '/gateway');
  const ours = new Set(bots.map(({ platformId }) => platformId));
  return seen.filter(({ botId }: SeenBot) => ours.has(botId));
};

const holders = async (): Promise<Record<string, number>> => {
  const rows = await service.db.$client`
    select process_id, count(*)::int as bots from gateway_connections
    where process_id is not null group by 1`;
  return Object.fromEntries(
    rows.map((row: { process_id: string; bots: number }) => [row.process_id, row.bots]),
  );
};

/** Every bot has one session, which is connected and whose process holds the bot. */
const expectAllHeld = async () => {
  const seen = await seenBots();
  expect(seen).toHaveLength(botCount);
  for (const { sessions } of seen) expect(sessions.map((one) => one.isConnected)).toEqual([true]);
  const held = Object.values(await holders()).reduce((sum, count) => sum + count, 0);
  expect(held).toBe(botCount);
  for (const { owner } of bots) {
    const { body } = await owner.call('GET', '/api/v1/bots');
    expect(body.data[0].connection).toBe('CONNECTED');
  }
};

const allHeldAgain = async (what: string) => {
  const startedAt = performance.now();
  await eventually(heldAgainWithinMs, expectAllHeld);
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

test('bots are held by one process each, through a kill and a long sleep, and hear everything once', async () => {
  const [first, second] = [await start(), await start()];
  await allHeldAgain('after the start');
  await eventually(20_000, async () =>
    expect(Object.values(await holders())).toEqual([botCount / 2, botCount / 2]),
  );
  const before = await memberCounts();
  const traffic = startTraffic();

  await Bun.sleep(2000);
  first.kill('SIGKILL');
  await first.exited;
  await allHeldAgain('after SIGKILL');
  expect(Object.values(await holders())).toEqual([botCount]);

  await start();
  await eventually(20_000, async () =>
    expect(Object.values(await holders())).toEqual([botCount / 2, botCount / 2]),
  );
  await eventually(20_000, expectAllHeld);
  second.kill('SIGSTOP');
  await Bun.sleep(suspendedMs);
  expect(Object.values(await holders())).toEqual([botCount]);
  await eventually(heldAgainWithinMs - suspendedMs, expectAllHeld);
  second.kill('SIGCONT');
  // It notices, lets go of what is not its own, and gets its share anew.
  await eventually(20_000, async () =>
    expect(Object.values(await holders())).toEqual([botCount / 2, botCount / 2]),
  );
  await allHeldAgain('after SIGCONT');

  const stayed = await traffic.stop();
  const after = bots.map(({ guildId }, index) => (before[index] ?? 0) + (stayed.get(guildId) ?? 0));
  await eventually(10_000, async () => expect(await memberCounts()).toEqual(after));
  const seen = await seenBots();
  expect(seen.map(({ identifies }) => identifies)).toEqual(Array(botCount).fill(1));
  expect(second.output()).toContain('lost its hold');
}, 240_000);
