import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { backupDependencies, takeBackupNow } from '../../../../test/harness/backups/run-backup.ts';
import { openWithFactor } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { decideAtOnce } from '../../../../test/harness/protection.ts';
import { addPullable } from '../../../../test/harness/pulls/add-pullable.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { permission } from '../../../platform/permissions.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { giveVerifiedRole } from '../../verification/complete/assign-role.ts';
import { roleAssignments } from '../../verification/table.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: [
      ...['protection.contain', 'protection.look-at-guild', 'protection.return-roles'],
      ...['restores.run', 'restores.repair', 'pulls.run', 'mass-verifications.run'],
    ],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const one = { count: 1, perSeconds: 30 };
/** Whatever is not ours is an attack. */
const strict = {
  thresholds: {
    ...{ channelDeletes: one, roleDeletes: one, bans: one, kicks: one },
    ...{ webhookCreates: one, emojiDeletes: one },
  },
};

const executorsOf = (incident: { executors: { platformId: string }[] }) =>
  incident.executors.map(({ platformId }) => platformId).sort();

/** The kinds of what the bot is said to have done, beside what its jobs did. */
const actsOfBot = async ({ bot, serverId }: ProtectedGuild): Promise<string[]> => {
  const rows = await fixture.service.db.$client`
    select kind from guild_acts
    where server_id = ${serverId} and executor_id = ${bot.platformId}
      and kind not in ('other', 'ownDemotions')`;
  return rows.map(({ kind }: { kind: string }) => kind);
};

const countActsOfBot = async ({ bot, serverId }: ProtectedGuild): Promise<number> => {
  const rows = await fixture.service.db.$client`
    select 1 from guild_acts where server_id = ${serverId} and executor_id = ${bot.platformId}`;
  return rows.length;
};

const settings = (guild: ProtectedGuild) => `/api/v1/servers/${guild.serverId}`;

test('a restore deletes, bans, makes webhooks and gives power; beside it the token is an attacker', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 4, settings: strict });
  const { owner, serverId, guildId, bot } = guild;
  const [moderator, banned] = [await guild.join([guild.mod]), randomPlatformId()];
  const whole = await guild.now();
  const [first, second, ...rest] = whole.channels;
  const allowed = { id: guild.pink, type: 0, allow: `${permission.manageChannels}`, deny: '0' };
  const webhook = { id: randomPlatformId(), type: 1, channel_id: first.id, name: 'News' };
  const good = {
    ...whole,
    guild: { ...whole.guild, verification_level: 1 },
    channels: [{ ...first, permission_overwrites: [allowed] }, second, ...rest],
    bans: [{ user: { id: banned }, reason: 'spam' }],
    webhooks: [webhook],
  };
  const path = `/guilds/${guildId}`;
  await fixture.simulator.control('PUT', path, good);
  const backupId = await takeBackupNow(fixture, { owner, serverId });
  // By nobody: the role has lost its power, the moderator their role, and there is more than there was.
  const extra = (name: string) => ({ id: randomPlatformId(), type: 0, name });
  await fixture.simulator.control('PUT', path, {
    ...good,
    guild: { ...whole.guild, verification_level: 3 },
    roles: [
      ...good.roles.map((role: { id: string }) =>
        role.id === guild.guard ? { ...role, permissions: '0' } : role,
      ),
      {
        ...good.roles.at(-1),
        id: randomPlatformId(),
        name: 'Extra',
        permissions: '0',
        position: 1,
      },
    ],
    members: good.members.map((member: { user: { id: string } }) =>
      member.user.id === moderator ? { ...member, roles: [] } : member,
    ),
    channels: [first, second, ...rest, extra('extra-1'), extra('extra-2')],
    bans: [],
    webhooks: [],
  });
  const components = ['settings', 'roles', 'channels', 'memberRoles', 'bans', 'webhooks'];
  const restore = await owner.call('POST', `${settings(guild)}/backups/${backupId}/restore`, {
    body: { mode: 'REPAIR', deleteExtra: true, components },
  });
  expect(restore.status).toBe(202);
  const restoreId = restore.body.data.id;
  await createBackupFixture(fixture.service, fixture.simulator).restored(
    { tenant: owner },
    restoreId,
  );
  await guild.settled();
  expect(await guild.rolesOf(moderator)).toEqual([guild.mod]);
  expect(await countActsOfBot(guild)).toBeGreaterThanOrEqual(8);
  expect(await actsOfBot(guild)).toEqual([]);
  expect(await guild.incidents()).toEqual([]);

  // With the reason of the restore, which everybody can read, and the bot's own token.
  const reason = auditReasons.restore(restoreId);
  expect(await guild.deleteChannel(bot.platformId, second.id, reason)).toBe(200);
  const incident = await guild.notStopped();
  expect(incident.executors).toMatchObject([
    { platformId: bot.platformId, notStopped: { code: 'OWN_TOKEN' } },
  ]);
  expect(await actsOfBot(guild)).toEqual(['channelDeletes']);
  expect(incident.serverId).toBe(serverId);
});

/** A person chooses a role with power, and types its name. */
const openAndChoose = async ({ owner, serverId, guildId }: ProtectedGuild, roleId: string) => {
  const { roles } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const nameOf = (id: string) => roles.find((role: { id: string }) => role.id === id).name;
  const browser = await openWithFactor(fixture.service, owner);
  const body = { verifiedRoleId: roleId, confirmRoleName: nameOf(roleId) };
  expect((await browser.call('PUT', `/servers/${serverId}`, body)).status).toBe(200);
  return { browser, nameOf };
};

test('a verification and a pull give a role with power, and to nobody else', async () => {
  const guild = await newProtectedGuild(fixture, { settings: strict });
  const { owner, serverId, bot } = guild;
  const verified = await guild.join([guild.pink]);
  const pulled = await guild.join([guild.pink]);
  const other = await guild.join([guild.pink]);
  const { browser, nameOf } = await openAndChoose(guild, guild.guard);
  const memberId = await addPullable(fixture, guild, verified);
  const person = { memberId, accountId: owner.accountId };
  const { db } = fixture.service;
  await db.insert(roleAssignments).values({ ...person, serverId, platformId: verified });
  const tools = backupDependencies(fixture.service, fixture.simulator.apiUrl);
  await giveVerifiedRole({ ...fixture.service, ...tools }, person);

  const pulledId = await addPullable(fixture, guild, pulled);
  const confirmed = { roleId: guild.mod, confirmRoleName: nameOf(guild.mod) };
  const request = { targetServerId: serverId, memberIds: [pulledId], ...confirmed };
  const pull = await browser.call('POST', `/servers/${serverId}/pull`, request);
  expect(pull.status).toBe(202);
  await eventually(20_000, async () => {
    expect(await guild.rolesOf(pulled)).toContain(guild.mod);
  });
  await guild.settled();
  expect(await guild.rolesOf(verified)).toContain(guild.guard);
  expect(await countActsOfBot(guild)).toBe(2);
  expect(await actsOfBot(guild)).toEqual([]);
  expect(await guild.incidents()).toEqual([]);

  const give = (roleId: string, reason: string) =>
    guild.call(
      ...([bot.platformId, 'PUT'] as const),
      `/guilds/${guild.guildId}/members/${other}/roles/${roleId}`,
      ...([undefined, reason] as const),
    );
  expect(await give(guild.guard, auditReasons.verification())).toBe(204);
  expect(await give(guild.mod, auditReasons.pull(pull.body.data.id))).toBe(204);
  expect(executorsOf(await guild.notStopped())).toEqual([bot.platformId]);
  await guild.settled();
  expect(await actsOfBot(guild)).toEqual(['dangerousGrants', 'dangerousGrants']);
});

test('a mass verification gives a role with power, and no other', async () => {
  const guild = await newProtectedGuild(fixture, { settings: strict });
  const { owner, bot } = guild;
  const there = await guild.join([guild.pink]);
  const other = await guild.join([]);
  const { browser, nameOf } = await openAndChoose(guild, guild.guard);
  const wish = { roleId: guild.pink, confirmRoleName: nameOf(guild.guard) };
  const job = await browser.call('POST', `/servers/${guild.serverId}/mass-verify`, wish);
  expect(job.status).toBe(202);
  const { id } = job.body.data;
  await eventually(20_000, async () => {
    const { status } = (await owner.call('GET', `/api/v1/mass-verifications/${id}`)).body.data;
    expect(status).toBe('completed');
  });
  await guild.settled();
  expect(await guild.rolesOf(there)).toContain(guild.guard);
  expect(await actsOfBot(guild)).toEqual([]);
  expect(await guild.incidents()).toEqual([]);

  const path = `/guilds/${guild.guildId}/members/${other}/roles/${guild.mod}`;
  const reason = auditReasons.massVerification(id);
  expect(await guild.call(bot.platformId, 'PUT', path, undefined, reason)).toBe(204);
  expect(executorsOf(await guild.notStopped())).toEqual([bot.platformId]);
  await guild.settled();
  expect(await actsOfBot(guild)).toEqual(['dangerousGrants']);
});

/** What a channel allows somebody by an overwrite of their own. */
const allowedIn = async (guild: ProtectedGuild, channelId: string, who: string) => {
  type Overwritten = { id: string; permission_overwrites: { id: string; allow: string }[] };
  const { channels }: { channels: Overwritten[] } = await guild.now();
  const channel = channels.find(({ id }) => id === channelId);
  return channel?.permission_overwrites.find(({ id }) => id === who)?.allow;
};

test('whoever has power by an overwrite of their own loses it with their roles, and gets it back', async () => {
  const guild = await newProtectedGuild(fixture, { settings: strict });
  const { owner, guildId } = guild;
  const [mallory, honest] = [await guild.join(), await guild.join()];
  const [first = '', second = ''] = guild.channelIds;
  const allow = `${permission.manageChannels | permission.viewChannel}`;
  const state = await guild.now();
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, {
    ...state,
    channels: state.channels.map((channel: { id: string }) => ({
      ...channel,
      permission_overwrites: [mallory, honest].map((id) => ({ id, type: 1, allow, deny: '0' })),
    })),
  });
  await guild.deleteChannel(mallory, first);
  const incident = await guild.contained();
  const stripped = `${permission.viewChannel}`;
  await eventually(15_000, async () => {
    expect(await allowedIn(guild, second, mallory)).toBe(stripped);
  });
  expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  expect(await allowedIn(guild, second, honest)).toBe(allow);
  expect(await guild.deleteChannel(mallory, second)).toBe(403);

  const back = await decideAtOnce(fixture.service, owner, incident.id, 'return-roles');
  expect(back.status).toBe(202);
  await eventually(15_000, async () => {
    expect(await guild.rolesOf(mallory)).toContain(guild.mod);
    for (const id of guild.channelIds.slice(1)) {
      expect(await allowedIn(guild, id, mallory)).toBe(allow);
    }
  });
  await guild.settled();
  expect(await actsOfBot(guild)).toEqual([]);
});

test('whoever is stopped, removed, or gets their roles back, is so by us', async () => {
  const guild = await newProtectedGuild(fixture, { settings: strict });
  const { owner, bot } = guild;
  const mallory = await guild.join();
  const robot = await guild.join([guild.mod], { isBot: true });
  for (const [index, who] of [mallory, robot].entries()) {
    await guild.deleteChannel(who, guild.channelIds[index] ?? '');
  }
  await eventually(15_000, async () => {
    expect(await guild.rolesOf(robot)).toBeUndefined();
    expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  });
  const incident = await guild.contained(2);
  const back = await decideAtOnce(fixture.service, owner, incident.id, 'return-roles');
  expect(back.status).toBe(202);
  await eventually(15_000, async () => {
    expect(await guild.rolesOf(mallory)).toContain(guild.mod);
  });
  await guild.settled();
  expect(await actsOfBot(guild)).toEqual([]);
  const [now] = await guild.incidents();
  expect(executorsOf(now)).toEqual([mallory, robot].sort());

  // Somebody whom nobody decided to remove, with the reason of a stop.
  const victim = await guild.join([guild.pink], { isBot: true });
  const path = `/guilds/${guild.guildId}/members/${victim}`;
  await guild.call(bot.platformId, 'DELETE', path, undefined, auditReasons.stop());
  await guild.notStopped();
  expect(await actsOfBot(guild)).toEqual(['kicks']);
});
