import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { permission } from '../../../platform/permissions.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';
import { lookDailyJob } from '../jobs.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const limitsOf = async ({ serverId }: ProtectedGuild): Promise<string[] | null> => {
  const [row] = await fixture.service.db.$client`
    select limits from watched_guilds where server_id = ${serverId}`;
  return row?.limits ?? null;
};

/** A guild whose limits are known, and its bot's own role. */
const knownGuild = async (switches?: object) => {
  const guild = await newProtectedGuild(fixture, { switches });
  await eventually(20_000, async () => expect(await limitsOf(guild)).not.toBeNull());
  const [botRole = ''] = (await guild.rolesOf(guild.bot.platformId)) ?? [];
  return { ...guild, botRole, path: `/guilds/${guild.guildId}` };
};

const worsened = async ({ owner }: ProtectedGuild): Promise<string[]> => {
  const { body } = await owner.call('GET', '/api/v1/alerts');
  return body.data
    .filter(({ title }: { title: string }) => title.includes('less than before'))
    .map(({ detail }: { detail: string }) => detail);
};

const told = (guild: ProtectedGuild, count: number) =>
  eventually(20_000, async () => {
    const alerts = await worsened(guild);
    expect(alerts).toHaveLength(count);
    return alerts[0];
  });

const lookAtAll = async () => {
  const daily = lookDailyJob(fixture.service);
  if (daily.subjectOf) throw new Error('It needs no lease');
  await daily.run({}, AbortSignal.timeout(30_000));
};

test('whoever takes from the bot what it needs is an attacker, and the owner is told what is missing', async () => {
  const guild = await knownGuild();
  const top = randomPlatformId();
  const state = await guild.now();
  const role = { color: 0, hoist: false, mentionable: false, managed: false };
  await fixture.simulator.control('PUT', guild.path, {
    ...state,
    roles: [...state.roles, { ...role, id: top, name: 'Top', permissions: '8', position: 90 }],
  });
  const mallory = await guild.join([top]);
  const roleOfBot = `${guild.path}/roles/${guild.botRole}`;
  const take = (left: bigint) =>
    guild.call(mallory, 'PATCH', roleOfBot, { permissions: `${left}` });
  expect(await take(permission.viewAuditLog)).toBe(200);
  await eventually(20_000, async () => {
    const [incident] = await guild.incidents();
    expect(incident?.executors).toMatchObject([{ platformId: mallory }]);
  });
  expect(await told(guild, 1)).toContain('Without MANAGE_ROLES');
  // Who does this is told to nobody who may not read the audit log.
  expect(await take(0n)).toBe(200);
  expect(await told(guild, 2)).toStartWith('Without VIEW_AUDIT_LOG');
});

test('the owner is told once of each worsening: a lower role, and a guild without the bot', async () => {
  const guild = await knownGuild();
  const { ownerId, botRole, path } = guild;
  const lower = [{ id: botRole, position: 1 }];
  expect(await guild.call(ownerId, 'PATCH', `${path}/roles`, lower)).toBe(200);
  expect(await told(guild, 1)).toContain('“Mod”');
  // It is looked at again, and nothing is new.
  const { db } = fixture.service;
  const before = await limitsOf(guild);
  await guild.call(ownerId, 'PATCH', `${path}/roles/${botRole}`, { name: 'Watch' });
  await lookAtAll();
  await eventually(20_000, async () => {
    const open = await db.$client`
      select 1 from pgboss.job where name = 'protection.look-at-guild'
        and data->>'serverId' = ${guild.serverId} and state in ('created', 'retry', 'active')`;
    expect(open).toHaveLength(0);
  });
  expect([await limitsOf(guild), await worsened(guild)]).toEqual([before, [expect.any(String)]]);
  expect(await guild.incidents()).toEqual([]);
  const away = `${path}/members/${guild.bot.platformId}`;
  expect(await guild.call(ownerId, 'DELETE', away)).toBeLessThan(300);
  expect(await told(guild, 2)).toContain('not in the server any more');
});

test('without anti-nuke the owner is told of what raids are noticed and answered by, and of nothing else', async () => {
  const guild = await knownGuild({ antiRaidEnabled: true });
  const { ownerId, botRole, path, bot } = guild;
  const leave = async (bits: bigint) => {
    const roleOfBot = `${path}/roles/${botRole}`;
    expect(await guild.call(ownerId, 'PATCH', roleOfBot, { permissions: `${bits}` })).toBe(200);
  };
  const forRaids = permission.manageGuild | permission.kickMembers | permission.banMembers;
  await leave(forRaids);
  await eventually(20_000, async () =>
    expect(await limitsOf(guild)).toContain(`MISSING_PERMISSION ${permission.viewAuditLog}`),
  );
  expect(await worsened(guild)).toEqual([]);
  await leave(permission.kickMembers | permission.banMembers);
  expect(await told(guild, 1)).toStartWith('Without MANAGE_GUILD');
  await leave(permission.kickMembers);
  expect(await told(guild, 2)).toStartWith('Without BAN_MEMBERS');
  await fixture.service.db.update(bots).set({ intents: [] }).where(eq(bots.id, bot.id));
  await lookAtAll();
  expect(await told(guild, 3)).toStartWith('The bot does not hear who joins');
  const away = `${path}/members/${bot.platformId}`;
  expect(await guild.call(ownerId, 'DELETE', away)).toBeLessThan(300);
  expect(await told(guild, 4)).toContain('not in the server any more');
  // Nobody is watched.
  const acts = await fixture.service.db.$client`
    select 1 from guild_acts where server_id = ${guild.serverId}`;
  expect([acts.length, await guild.incidents()]).toEqual([0, []]);
});

test('what was known before anti-nuke was switched off does not count when it is on again', async () => {
  const guild = await knownGuild();
  const { db } = fixture.service;
  const seen = async () =>
    (
      await db.$client`select roles, last_entry_id from watched_guilds where server_id = ${guild.serverId}`
    )[0];
  const turn = (isOn: boolean) =>
    db.update(servers).set({ antiNukeEnabled: isOn }).where(eq(servers.id, guild.serverId));
  await turn(false);
  const body = { permissions: `${permission.administrator}` };
  const pink = `${guild.path}/roles/${guild.pink}`;
  expect(await guild.call(guild.ownerId, 'PATCH', pink, body)).toBe(200);
  const heard = () => fixture.heard(guild.bot, 'roleChanged');
  await eventually(20_000, async () => expect(await heard()).not.toEqual([]));
  const on = { body: { antiNukeEnabled: true } };
  await guild.owner.call('PUT', `/api/v1/servers/${guild.serverId}/protection`, on);
  await eventually(20_000, async () =>
    expect(await seen()).toMatchObject({
      roles: { [guild.pink]: body.permissions },
      last_entry_id: expect.any(String),
    }),
  );
});
