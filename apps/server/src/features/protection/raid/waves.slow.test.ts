// Takes about 150 s: started before shorter ones.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { eventually, patience } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  boughtStyle,
  fiveHundredAmongFifty,
  honestStyle,
  newRaidedGuild,
  type RaidedGuild,
} from '../../../../test/harness/raid-wave.ts';
import { type ServiceProcess, startProcess } from '../../../../test/harness/service-process.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';

const masterKeys = generateMasterKey();
let fixture: GatewayFixture;
const processes: ServiceProcess[] = [];

/** The whole service: it takes bots, and works. */
const start = async (name: string): Promise<ServiceProcess> => {
  const started = await startProcess({
    ...{ ROLE: 'all', WORKER_ID: name, MASTER_KEYS: masterKeys },
    ...{ DATABASE_URL: fixture.service.databaseUrl, DATA_DIR: fixture.service.dataDir },
    PLATFORM_API_URL: fixture.simulator.apiUrl,
  });
  processes.push(started);
  return started;
};

beforeAll(async () => {
  fixture = await startGatewayFixture({ ring: parseKeyRing(masterKeys) });
}, 180_000);
afterEach(async () => {
  const ended = processes.splice(0);
  for (const one of ended) one.kill('SIGKILL');
  await Promise.all(ended.map(({ exited }) => exited));
}, 180_000);
afterAll(() => fixture.stop(), 180_000);

const pauseCall = { method: 'PUT', route: '/guilds/:id/incident-actions' };
const overMs = 20_000;

type People = ReturnType<typeof fiveHundredAmongFifty>;

/** What each style got, as a table. */
const report = (title: string, people: People, statuses: Map<string, string>): void => {
  const rows = [...Map.groupBy(people, ({ style }) => style)].map(([style, of]) => {
    const count = (status: string | undefined) =>
      of.filter(({ id }) => statuses.get(id) === status).length;
    const [held, seen, refused] = [count('held'), count('seen'), count(undefined)];
    return `${style.padEnd(54)} ${[of.length, refused, held, seen].map((n) => String(n).padStart(9)).join('')}`;
  });
  const head = ['joined', 'at door', 'held', 'let in'].map((name) => name.padStart(9)).join('');
  process.stdout.write(`${[title, `${''.padEnd(54)} ${head}`, ...rows].join('\n')}\n`);
};

const idsOf = (people: People, style: string) =>
  people.filter((one) => one.style === style).map(({ id }) => id);

/** Everybody who came in counts once; of these every raider is held who can be told from the honest. */
const expectCounted = async (guild: RaidedGuild, id: string, people: People, joined: string[]) => {
  const young = new Set(people.filter(({ style }) => style.startsWith('new')).map((one) => one.id));
  const joins = joined.filter((one) => young.has(one)).length;
  await eventually(90_000, async () => {
    expect(await guild.counts(id)).toEqual({ newcomers: joined.length, joins });
  });
  const statuses = await guild.statuses(id);
  expect(new Set(statuses.keys())).toEqual(new Set(joined));
  const unheld = [...idsOf(people, honestStyle), ...idsOf(people, boughtStyle)];
  const held = joined.filter((one) => !unheld.includes(one));
  expect(
    [...statuses]
      .filter(([, status]) => status === 'held')
      .map(([one]) => one)
      .sort(),
  ).toEqual(held.sort());
  return { statuses, held };
};

/** Each step of the journal was taken once. */
const expectOver = async (guild: RaidedGuild, id: string, pause: 'done' | 'failed') => {
  await guild.end(id);
  const done = (kind: string) => ({ kind, status: 'done' });
  const steps = [
    ...[done('RAISE_CHECKS'), done('HOLD_NEWCOMERS'), { kind: 'PAUSE_INVITES', status: pause }],
    ...[done('LOWER_CHECKS'), ...(pause === 'done' ? [done('RESUME_INVITES')] : [])],
  ];
  await eventually(60_000, async () => {
    const taken = await guild.stepsOf(id);
    expect(taken.filter(({ kind }) => kind !== 'REMOVE_NEWCOMERS')).toEqual(steps);
  });
  expect(await guild.areRaised()).toBe(false);
  expect(await guild.pausedUntil()).toBeNull();
};

/** Nobody but those who were held. */
const expectBanned = async (guild: RaidedGuild, people: People, held: string[]) => {
  const { bans, members } = await guild.now();
  const idOf = ({ user }: { user: { id: string } }) => user.id;
  const banned = new Set(bans.map(idOf));
  expect(
    people
      .filter(({ id }) => banned.has(id))
      .map(({ id }) => id)
      .sort(),
  ).toEqual(held.sort());
  expect(members.map(idOf)).toEqual(expect.arrayContaining(idsOf(people, honestStyle)));
};

test('500 raiders in 20 s among 50 honest people: invites close, nobody honest is held, and everything is as before', async () => {
  const guild = await newRaidedGuild(fixture);
  await start('alone');
  await guild.connected();
  const before = await guild.settings();
  const people = fiveHundredAmongFifty();
  const startedAt = Date.now();
  const { joined } = await guild.join(people, overMs);
  const incident = await guild.reached('contained');
  const { statuses } = await expectCounted(guild, incident.id, people, joined);
  const [pause] = await guild.pauses();
  const pausedMs = (pause?.at ?? Infinity) - startedAt;
  report(`invites paused ${pausedMs} ms after the first join`, people, statuses);
  expect(pausedMs).toBeLessThan(20_000 * patience);
  expect(await guild.areRaised()).toBe(true);

  expect((await guild.decide(incident.id, 'KEEP')).status).toBe(202);
  await guild.reached('dismissed');
  await expectOver(guild, incident.id, 'done');
  expect(await guild.settings()).toEqual(before);
  await eventually(30_000, async () => {
    expect([...(await guild.statuses(incident.id)).values()]).not.toContain('held');
  });
  expect((await guild.waveOf(incident.id)).counts).toMatchObject({ held: 0 });
}, 240_000);

const refusePauses = ({ guildId }: RaidedGuild) =>
  fixture.simulator.control('POST', '/faults', {
    match: { ...pauseCall, guildId },
    ...{ when: 'before', action: 'status', status: 403, times: 1000 },
    body: { message: 'Missing Permissions', code: 50_013 },
  });

test('where invites cannot be paused everybody comes in: those who can be told are held, and one decision bans them', async () => {
  const guild = await newRaidedGuild(fixture);
  await start('alone');
  await guild.connected();
  const before = await guild.settings();
  await refusePauses(guild);
  const people = fiveHundredAmongFifty();
  const { joined } = await guild.join(people, overMs);
  expect(joined).toHaveLength(550);
  const { id } = await guild.reached('contained');
  const { statuses, held } = await expectCounted(guild, id, people, joined);
  report('invites cannot be paused', people, statuses);

  // Each of them works for some seconds at the captcha.
  const some = [
    ...idsOf(people, honestStyle).slice(0, 3),
    ...idsOf(people, boughtStyle).slice(0, 2),
    ...held.slice(0, 2),
  ];
  const verified: string[] = [];
  for (const one of some) if (await guild.verifies(one)) verified.push(one);
  expect(verified).toEqual(some.slice(0, 5));

  expect((await guild.decide(id, 'BAN')).status).toBe(202);
  expect((await guild.decide(id, 'KEEP')).status).toBe(409);
  await expectOver(guild, id, 'failed');
  await guild.reached('repaired');
  await expectBanned(guild, people, held);
  expect(await guild.settings()).toEqual(before);
}, 240_000);

test('of two processes one is killed as it pauses invites, the other as it bans: nobody is forgotten or counted twice', async () => {
  const guild = await newRaidedGuild(fixture);
  const first = await start('first');
  await guild.connected();
  const second = await start('second');
  const kill = (match: object, when: string, { pid }: ServiceProcess) =>
    fixture.simulator.control('POST', '/faults', {
      match: { ...match, guildId: guild.guildId },
      ...{ nth: 1, when, action: 'kill', pid },
    });
  const before = await guild.settings();
  await kill(pauseCall, 'before', first);
  const people = fiveHundredAmongFifty();
  const { joined } = await guild.join(people, overMs);
  expect(await first.exited).toBe(137);
  const { id } = await guild.reached('contained');
  const { statuses, held } = await expectCounted(guild, id, people, joined);
  report('one of two processes is killed as it pauses invites', people, statuses);
  expect(await guild.pausedUntil()).not.toBeNull();

  await start('third');
  await kill({ method: 'POST', route: '/guilds/:id/bulk-ban' }, 'afterApply', second);
  expect((await guild.decide(id, 'BAN')).status).toBe(202);
  await expectOver(guild, id, 'done');
  await guild.reached('repaired');
  expect(await second.exited).toBe(137);
  await expectBanned(guild, people, held);
  expect((await guild.pauses()).filter(({ isPause }) => !isPause)).toHaveLength(1);
  expect(await guild.settings()).toEqual(before);
}, 300_000);

test('a process that is killed while it stores newcomers of a wave: another stores them, each once', async () => {
  const guild = await newRaidedGuild(fixture);
  const first = await start('first');
  await guild.connected();
  await start('second');
  await refusePauses(guild);
  const before = await guild.settings();
  const people = fiveHundredAmongFifty();
  const joining = guild.join(people, 8000);
  const { id } = await guild.reached('contained');
  await guild.whileStoring(id, async () => {
    first.kill('SIGKILL');
    await first.exited;
  });
  const { joined } = await joining;
  expect(joined).toHaveLength(550);
  const { statuses } = await expectCounted(guild, id, people, joined);
  report('one of two processes is killed while it stores newcomers', people, statuses);
  await expectOver(guild, id, 'failed');
  expect(await guild.settings()).toEqual(before);
}, 240_000);
