import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';
import { silentLogOf } from '../../../../../test/harness/silent-log.ts';
import { newId } from '../../../../kernel/ids.ts';
import { entryIdAt } from '../../../../platform/audit-log.ts';
import { restoreSteps, restores } from '../../../restores/table.ts';

let fixture: GatewayFixture;
let log: ReturnType<typeof silentLogOf>;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: [
      ...['protection.contain', 'protection.resume-invites'],
      ...['protection.look-at-guild', 'protection.explain-losses'],
    ],
  });
  fixture.startHolding();
  log = silentLogOf(fixture);
});
afterAll(() => fixture.stop());

const nothing = { audit_log_entries: [] };
const refusal = { message: 'Missing Permissions', code: 50013 };

const quietGuild = async (given: Parameters<typeof newProtectedGuild>[1] = {}) => {
  const guild = await newProtectedGuild(fixture, given);
  const mallory = await guild.join();
  await guild.known();
  await guild.settled();
  return { guild, mallory };
};

/** Until it begins anew, the bot hears of nothing. */
const whileAway = async ({ bot }: ProtectedGuild, act: () => Promise<void>) => {
  const botId = bot.platformId;
  const times = (await fixture.heard(bot, 'guildAvailable')).length;
  await fixture.simulator.control('PUT', '/gateway/faults', { botId, drop: 1000 });
  await act();
  await fixture.simulator.control('PUT', '/gateway/faults', { botId });
  await fixture.act(bot, { action: 'invalidate', isResumable: false });
  await eventually(20_000, async () =>
    expect((await fixture.heard(bot, 'guildAvailable')).length).toBe(times + 1),
  );
};

/** The server was made after its bot had connected. */
const seenWhole = (guild: ProtectedGuild) => whileAway(guild, async () => undefined);

test('twelve channels that are deleted slowly are an incident, as if the audit log had told of them', async () => {
  const thresholds = { channelDeletes: { count: 3, perSeconds: 1 } };
  const { guild, mallory } = await quietGuild({ channels: 14, settings: { thresholds } });
  await log.silence(guild);
  await log.answerWith(guild, 200, nothing);
  for (const [index, id] of guild.channelIds.slice(0, 12).entries()) {
    if (index === 11) expect(await log.queued(guild)).toEqual([]);
    await guild.deleteChannel(mallory, id);
    await Bun.sleep(600);
  }
  expect(await log.anIncident(guild)).toMatchObject({ executors: [], objectsLost: 12 });
});

test('channels that are gone when the bot is connected anew are an incident, where it may not read the audit log', async () => {
  const { guild, mallory } = await quietGuild({ channels: 14 });
  await seenWhole(guild);
  await log.answerWith(guild, 403, refusal);
  await whileAway(guild, async () => {
    for (const id of guild.channelIds.slice(0, 12)) await guild.deleteChannel(mallory, id);
  });
  expect(await log.anIncident(guild)).toMatchObject({
    ...{ kind: 'NUKE', status: 'open', executors: [], objectsLost: 12 },
    acts: { total: 12, byKind: { channelDeletes: 12 } },
  });
});

/** Rooms that were made just now. */
const withNewRooms = async (guild: ProtectedGuild, count: number): Promise<string[]> => {
  const [first, { channels, ...state }] = [BigInt(entryIdAt(new Date())), await guild.now()];
  const rooms = Array.from({ length: count }, (_, index) => ({
    ...{ id: `${first + BigInt(index)}`, type: 2, name: `table-${index}`, position: 50 + index },
    guild_id: guild.guildId,
  }));
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, {
    ...state,
    channels: [...channels, ...rooms],
  });
  return rooms.map(({ id }) => id);
};

test('fewer channels than are an attack within an hour are no incident when they are found to be gone, however many short-lived rooms went with them', async () => {
  const { guild } = await quietGuild({ channels: 14 });
  const rooms = await withNewRooms(guild, 12);
  await seenWhole(guild);
  await log.answerWith(guild, 403, refusal);
  const ids = [...guild.channelIds.slice(0, 11), ...rooms];
  await whileAway(guild, async () => {
    for (const id of ids) await guild.deleteChannel(guild.ownerId, id);
  });
  await log.lost(guild, ids.length);
  expect(await log.queued(guild)).toEqual([]);
});

/** As if it had been heard of so much later than it was done. */
const heardLater = async ({ serverId }: ProtectedGuild, minutes: number) => {
  await fixture.service.db.$client`
    update guild_acts set at = at + ${minutes} * interval '1 minute'
    where server_id = ${serverId} and kind in ('lost', 'missed')`;
};

test('short-lived rooms that are closed within an hour are no slow attack', async () => {
  const thresholds = { channelDeletes: { count: 5, perSeconds: 30 } };
  const { guild } = await quietGuild({ settings: { thresholds } });
  const rooms = await withNewRooms(guild, 20);
  await log.silence(guild);
  await log.answerWith(guild, 403, refusal);
  for (let closed = 4; closed <= rooms.length; closed += 4) {
    for (const id of rooms.slice(closed - 4, closed)) await guild.deleteChannel(guild.ownerId, id);
    await log.lost(guild, closed);
    await heardLater(guild, -10);
  }
  expect(await log.queued(guild)).toEqual([]);
});

test('what the owner deleted while the bot was away is no incident, once the audit log is read', async () => {
  const { guild } = await quietGuild();
  await seenWhole(guild);
  await whileAway(guild, async () => {
    for (const id of guild.channelIds.slice(0, 5)) await guild.deleteChannel(guild.ownerId, id);
  });
  await eventually(60_000, async () => {
    const rows = await fixture.service.db.$client`
      select executor_id from guild_acts
      where server_id = ${guild.serverId} and action = 'channelDeleted'`;
    expect(rows.map((row: { executor_id: string }) => row.executor_id)).toEqual(
      Array.from({ length: 5 }, () => guild.ownerId),
    );
  });
  expect(await guild.incidents()).toEqual([]);
});

test('an entry of the audit log explains a deletion of which the bot heard minutes later', async () => {
  const { guild } = await quietGuild();
  await log.silence(guild);
  await log.answerWith(guild, 200, nothing);
  for (const id of guild.channelIds.slice(0, 4)) await guild.deleteChannel(guild.ownerId, id);
  await log.lost(guild, 4);
  await heardLater(guild, 6);
  await fixture.simulator.control('DELETE', '/faults');
  expect(await log.asked(guild, 1)).toEqual(['0 completed']);
  expect(await guild.incidents()).toEqual([]);
});

test('what was missed is explained by the audit log, also where something was heard since', async () => {
  const { guild } = await quietGuild({ channels: 14 });
  await seenWhole(guild);
  await log.answerWith(guild, 200, nothing);
  const ids = guild.channelIds.slice(0, 12);
  await whileAway(guild, async () => {
    for (const id of ids) await guild.deleteChannel(guild.ownerId, id);
  });
  await log.lost(guild, ids.length);
  await heardLater(guild, 6);
  await fixture.simulator.control('DELETE', '/faults');
  const last = guild.channelIds[13];
  await guild.call(guild.ownerId, 'PATCH', `/channels/${last}`, { topic: 'Welcome back' });
  await guild.settled();
  expect(await log.asked(guild, 1)).toEqual(['0 completed']);
  expect(await guild.incidents()).toEqual([]);
});

const storeRestore = async (
  { owner, serverId }: ProtectedGuild,
  ids: string[],
  { agoMs, status }: { agoMs: number; status: 'begun' | 'done' },
) => {
  const [restoreId, endedAt] = [newId(), new Date(Date.now() - agoMs)];
  await fixture.service.db.insert(restores).values({
    ...{ id: restoreId, accountId: owner.accountId, serverId, backupId: newId(), components: [] },
    ...{ status: 'completed', startedAt: new Date(endedAt.getTime() - 9000), completedAt: endedAt },
  });
  await fixture.service.db.insert(restoreSteps).values(
    ids.map((channelId, seq) => ({
      ...{ restoreId, seq, after: [], action: { do: 'deleteChannel' as const, channelId } },
      ...{ stage: 'deleteChannels' as const, type: 'channel' as const, name: 'room' },
      ...{ effect: 'delete' as const, status },
    })),
  );
};

test('what a restore has deleted is no incident, also where the bot hears of it long after', async () => {
  const { guild } = await quietGuild();
  const ids = guild.channelIds.slice(0, 6);
  await log.silence(guild);
  await log.answerWith(guild, 403, refusal);
  await storeRestore(guild, ids, { agoMs: 4 * 60_000, status: 'done' });
  for (const id of ids) await guild.deleteChannel(guild.bot.platformId, id);
  expect(await log.asked(guild, 1)).toEqual(['0 completed']);
  expect(await guild.incidents()).toEqual([]);
});

test('a deletion of which a restore does not know whether it was made is its own only while it ran', async () => {
  const { guild } = await quietGuild();
  const [during, after] = [guild.channelIds.slice(0, 3), guild.channelIds.slice(3, 7)];
  await log.silence(guild);
  await log.answerWith(guild, 403, refusal);
  await storeRestore(guild, during, { agoMs: 0, status: 'begun' });
  await storeRestore(guild, after, { agoMs: 4 * 60_000, status: 'begun' });
  for (const id of [...during, ...after]) await guild.deleteChannel(guild.ownerId, id);
  expect(await log.anIncident(guild)).toMatchObject({ executors: [], objectsLost: 4 });
});
