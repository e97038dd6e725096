import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { storeGoodBackup } from '../../../../test/harness/protection.ts';
import { permission } from '../../../platform/permissions.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const one = { count: 1, perSeconds: 30 };
const settings = { thresholds: { channelDeletes: one }, autoRepair: true };

/** A guild in which somebody has attacked with a role that is above the bot's. */
const attackFromAbove = async () => {
  const guild = await newProtectedGuild(fixture, { settings });
  await storeGoodBackup(
    { db: fixture.service.db, accountId: guild.owner.accountId },
    guild.serverId,
  );
  await moveRole(guild, guild.chief, 1000);
  const mallory = await guild.join([guild.chief]);
  await guild.deleteChannel(mallory, guild.channelIds[0] ?? '');
  return { guild, mallory, incident: await guild.notStopped() };
};

/** By the guild's owner. */
const moveRole = async ({ call, ownerId, guildId }: ProtectedGuild, id: string, position: number) =>
  expect(await call(ownerId, 'PATCH', `/guilds/${guildId}/roles`, [{ id, position }])).toBe(200);

/** Beside those of what the bot cannot stop any more. */
const attackAlerts = async ({ owner }: ProtectedGuild) => {
  const { body } = await owner.call('GET', '/api/v1/alerts');
  return body.data.filter(({ href }: { href: string }) => href.includes('/incidents/'));
};

test('an attack from above the bot stays open, and tells who was not stopped, why, and what to do', async () => {
  const { guild, mallory, incident } = await attackFromAbove();
  const detail = expect.stringMatching(/above that of the bot.*drag/i);
  expect(incident).toMatchObject({
    ...{ status: 'open', containedAfterMs: null, repairRestoreId: null },
    executors: [
      { platformId: mallory, stoppedAt: null, notStopped: { code: 'ROLE_TOO_HIGH', detail } },
    ],
  });
  const { username } = incident.executors[0];
  expect(username.length).toBeGreaterThan(0);
  const [alert] = await attackAlerts(guild);
  expect(alert.title).toContain('could not be stopped');
  expect(alert.title).not.toContain(username);
  expect(alert.detail).toContain(username);
  expect(alert.detail).toMatch(/above that of the bot.*drag/i);
});

test('whoever was not stopped is stopped when the roles move, and then it is contained', async () => {
  const { guild, mallory } = await attackFromAbove();
  await moveRole(guild, guild.chief, 1);
  const contained = await guild.contained();
  expect(contained.executors).toMatchObject([
    { platformId: mallory, notStopped: null, stoppedAt: expect.any(String) },
  ]);
  expect(await guild.rolesOf(mallory)).toEqual([]);
  expect(contained.containedAfterMs).toBeGreaterThan(0);
});

test('whoever loses their role by hand, or is kicked, was stopped', async () => {
  const byHand = await attackFromAbove();
  const { call, ownerId, guildId } = byHand.guild;
  const path = `/guilds/${guildId}/members/${byHand.mallory}`;
  await call(ownerId, 'PATCH', path, { roles: [] });
  expect((await byHand.guild.contained()).executors).toMatchObject([{ notStopped: null }]);

  const away = await attackFromAbove();
  await away.guild.call(
    ...([away.guild.ownerId, 'DELETE'] as const),
    `/guilds/${away.guild.guildId}/members/${away.mallory}`,
  );
  expect((await away.guild.contained()).executors).toMatchObject([{ notStopped: null }]);
});

test('a try that changes nothing leaves no step and no alert', async () => {
  const { guild, incident } = await attackFromAbove();
  const steps = async () =>
    (
      await fixture.service.db.$client`
      select kind from incident_steps where incident_id = ${incident.id}
      and kind in ('STOP_EXECUTOR', 'ALERT')`
    ).length;
  const before = await steps();
  const tries = await triedAll(guild);
  const path = `/guilds/${guild.guildId}/roles/${guild.pink}`;
  await guild.call(guild.ownerId, 'PATCH', path, { permissions: '1024' });
  await eventually(15_000, async () => expect(await countTries(guild)).toBeGreaterThan(tries));
  await guild.notStopped();
  expect(await steps()).toBe(before);
  expect(await attackAlerts(guild)).toHaveLength(1);
});

/** The containments of its account in this state of the queue. */
const countTries = async ({ owner }: ProtectedGuild, state = 'completed'): Promise<number> =>
  (
    await fixture.service.db.$client`
    select from pgboss.job where name = 'protection.contain' and state::text = ${state}
      and data ->> 'accountId' = ${owner.accountId}`
  ).length;

/** How often it was tried, once all is done that its own acts have asked for. */
const triedAll = (guild: ProtectedGuild): Promise<number> =>
  eventually(15_000, async () => {
    expect(await countTries(guild, 'created')).toBe(0);
    expect(await countTries(guild, 'active')).toBe(0);
    return countTries(guild);
  });

test('no repair begins by itself while one of several attackers was not stopped, and it begins once they are', async () => {
  const { guild } = await attackFromAbove();
  const { channelIds, chief } = guild;
  await guild.deleteChannel(await guild.join(), channelIds[1] ?? '');
  const both = await eventually(15_000, async () => {
    await triedAll(guild);
    const incident = await guild.notStopped();
    expect(incident.executors).toHaveLength(2);
    return incident;
  });
  const stopped = both.executors.filter((one: { stoppedAt: unknown }) => one.stoppedAt);
  expect([stopped.length, both.repairRestoreId]).toEqual([1, null]);
  await moveRole(guild, chief, 1);
  await eventually(15_000, async () => {
    expect((await guild.contained(2)).repairRestoreId).toEqual(expect.any(String));
  });
});

test('whoever was stopped and goes on with a role above the bot is told of again, and it is open again', async () => {
  const guild = await newProtectedGuild(fixture, { settings });
  const mallory = await guild.join();
  await guild.deleteChannel(mallory, guild.channelIds[0] ?? '');
  await guild.contained();
  await triedAll(guild);
  await moveRole(guild, guild.chief, 1000);
  const path = `/guilds/${guild.guildId}/members/${mallory}/roles/${guild.chief}`;
  await guild.call(guild.ownerId, 'PUT', path);
  await guild.deleteChannel(mallory, guild.channelIds[1] ?? '');
  const incident = await guild.notStopped();
  expect(incident.executors).toMatchObject([{ notStopped: { code: 'ROLE_TOO_HIGH' } }]);
  await eventually(15_000, async () => {
    const [told] = await attackAlerts(guild);
    expect(told.title).toContain('could not be stopped');
  });
});

test('somebody with power of their own in a channel that the bot cannot take keeps it open', async () => {
  const guild = await newProtectedGuild(fixture, { settings });
  const mallory = await guild.join();
  const [first = '', second = ''] = guild.channelIds;
  const state = await guild.now();
  const allow = `${permission.manageChannels | permission.viewChannel}`;
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, {
    ...state,
    channels: state.channels.map((channel: { id: string }) =>
      channel.id === second
        ? { ...channel, permission_overwrites: [{ id: mallory, type: 1, allow, deny: '0' }] }
        : channel,
    ),
  });
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'PUT', route: '/channels/:id/permissions/:id', guildId: guild.guildId },
    ...{ times: 50, when: 'before', action: 'status', status: 403 },
    body: { code: 50013, message: 'Missing Permissions' },
  });
  await guild.deleteChannel(mallory, first);
  const incident = await guild.notStopped();
  expect(incident.executors).toMatchObject([
    { platformId: mallory, notStopped: { code: 'OWN_OVERWRITE' } },
  ]);
});
