import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../eventually.ts';
import { freshId } from '../simulator/platform.ts';
import { startTestSimulator, type TestSimulator } from '../simulator/start.ts';
import { actAs } from './act.ts';
import { attack } from './attack.ts';
import { trustedRoles } from './honest-act.ts';
import { honestMonth } from './honest-month.ts';
import { honestGuild, newCast, performMonth } from './perform-month.ts';
import type { AttackKind } from './plan.ts';
import { newStaff, type Staff, staffedGuild } from './staffed-guild.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const size = { channels: 12, roles: 8, emojis: 5, members: 10 };

const newGuild = async (attackers: Staff[]) => {
  const guildId = freshId();
  const state = staffedGuild(guildId, { ownerId: freshId(), staff: attackers, size });
  await simulator.control('PUT', `/guilds/${guildId}`, state);
  const guard = actAs(simulator.apiUrl, freshId());
  await guard('GET', `/guilds/${guildId}`);
  return { guildId, guard, attackerIds: attackers.map(({ id }) => id) };
};

const losses: [AttackKind, number][] = [
  ...([
    ['deleteChannels', 12],
    ['deleteRoles', 8],
    ['deleteEmojis', 5],
  ] as const),
  ...([
    ['banMembers', 10],
    ['kickMembers', 10],
    ['spamWebhooks', 12],
  ] as const),
  ...([
    ['grantAdmin', 8],
    ['addBots', 20],
    ['prune', 1],
  ] as const),
].map(([kind, count]) => [kind, count]);

test.each(losses)('nobody stops %s', async (kind, count) => {
  const { guildId, attackerIds } = await newGuild([newStaff('admin')]);
  const report = await attack(simulator, { guildId, attackerIds, kinds: [kind], inFlight: 5 });
  expect(report.landed.map(({ status }) => status)).toHaveLength(count);
  expect(report.blows).toHaveLength(count);
  expect(report.refusedAt.size).toBe(0);
});

test('two accounts strike in turn until both are stopped, a person without roles and a bot kicked', async () => {
  const [person, bot] = [newStaff('admin'), newStaff('admin', { isBot: true })];
  const { guildId, guard, attackerIds } = await newGuild([person, bot]);
  const running = attack(simulator, {
    ...{ guildId, attackerIds, alternates: true, gapMs: 5 },
    kinds: ['deleteChannels', 'banMembers'],
  });
  await eventually(10_000, async () => {
    const { channels, bans } = await simulator.control('GET', `/guilds/${guildId}`);
    expect(channels.length).toBeLessThan(size.channels);
    expect(Object.keys(bans)).not.toHaveLength(0);
  });
  await guard('PATCH', `/guilds/${guildId}/members/${person.id}`, { roles: [] });
  await guard('DELETE', `/guilds/${guildId}/members/${bot.id}`);
  const { blows, landed, refusedAt } = await running;
  expect([...refusedAt.keys()].sort()).toEqual([...attackerIds].sort());
  expect(landed.slice(0, 2).map(({ kind, attackerId }) => [kind, attackerId])).toEqual([
    ['deleteChannels', person.id],
    ['banMembers', bot.id],
  ]);
  expect(blows.length).toBe(landed.length + 2);
});

test('an honest month is the same for its seed, can be done as it is told, and is dated', async () => {
  const [guildId, cast] = [freshId(), newCast()];
  await simulator.control('PUT', `/guilds/${guildId}`, honestGuild(guildId, cast));
  const acts = honestMonth(7, 150);
  expect(honestMonth(7, 150)).toEqual(acts);
  expect(honestMonth(8, 150)).not.toEqual(acts);
  const startsAtMs = Date.now();
  const performed = await performMonth(simulator, { guildId, cast, acts, startsAtMs });
  expect(performed.filter(({ status }) => status >= 300)).toEqual([]);
  const read = actAs(simulator.apiUrl, cast.ownerId);
  const log = await read('GET', `/guilds/${guildId}/audit-logs?limit=1`);
  const [last] = log.body.audit_log_entries;
  const epochMs = 1_420_070_400_000;
  expect(Number(BigInt(last.id) >> 22n) + epochMs).toBe(startsAtMs + (acts.at(-1)?.atMs ?? 0));
  expect(cast.trustedIds).toHaveLength(trustedRoles.length);
});
