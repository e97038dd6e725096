import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import { insertMembers } from '../../../../test/harness/members.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { decideAtOnce, storeNewcomer, storeWave } from '../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'protection.resume-invites'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

/** One after the other, until one is refused. */
const deleteChannels = async (guild: ProtectedGuild, who: string[], ids: string[]) => {
  for (const [index, id] of ids.entries()) {
    const person = who[index % who.length] ?? '';
    if ((await guild.deleteChannel(person, id)) !== 200) return;
  }
};

const executorsOf = (incident: { executors: { platformId: string }[] }) =>
  incident.executors.map(({ platformId }) => platformId).sort();

const countAlerts = async ({ owner }: ProtectedGuild): Promise<number> => {
  const { body } = await owner.call('GET', '/api/v1/alerts');
  return body.data.filter(({ kind }: { kind: string }) => kind === 'INCIDENT').length;
};

test('a moderator who deletes channels loses the roles that give power, and no others', async () => {
  const guild = await newProtectedGuild(fixture);
  const [mallory, honest] = [await guild.join(), await guild.join()];
  const [first = '', ...others] = guild.channelIds;
  await guild.deleteChannel(honest, first);
  await deleteChannels(guild, [mallory], others);
  const incident = await guild.contained();
  expect(incident).toMatchObject({
    ...{ kind: 'NUKE', status: 'contained', endedAt: null },
    executors: [{ platformId: mallory, isBot: false, rolesTaken: [guild.mod] }],
  });
  expect(incident.executors[0].stoppedAt).toEqual(expect.any(String));
  expect(incident.executors[0].username).not.toBe('');
  expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  expect(await guild.rolesOf(honest)).toEqual([guild.mod, guild.pink]);
  expect(await guild.deleteChannel(mallory, guild.channelIds.at(-1) ?? '')).not.toBe(200);
  const { guild: after } = await guild.now();
  expect(Date.parse(after.incidents_data.invites_disabled_until)).toBeGreaterThan(Date.now());
  expect(await countAlerts(guild)).toBe(1);
  const backups = await guild.owner.call('GET', `/api/v1/servers/${guild.serverId}/backups`);
  expect(backups.body.data[0].name).toStartWith('Incident ');
  await guild.settled();
  const [kept] = await guild.incidents();
  expect(kept.acts.total).toBe(kept.objectsLost);
  expect(kept.acts.byKind.channelDeletes).toBe(kept.objectsLost);

  const dismissed = await decideAtOnce(fixture.service, guild.owner, incident.id, 'dismiss');
  expect(dismissed.status).toBe(202);
  await eventually(10_000, async () => {
    const { guild: later } = await guild.now();
    expect(later.incidents_data?.invites_disabled_until ?? null).toBeNull();
  });
});

test('what an attacker did before the act that decides belongs to the attack', async () => {
  const guild = await newProtectedGuild(fixture);
  const mallory = await guild.join();
  let landed = 0;
  for (const id of guild.channelIds.slice(0, 3)) {
    if ((await guild.deleteChannel(mallory, id)) === 200) landed++;
    await guild.settled();
  }
  await guild.contained();
  const [incident] = await guild.incidents();
  expect(landed).toBeGreaterThan(1);
  expect(incident.acts.byKind.channelDeletes).toBe(landed);
});

test('of somebody who is known nothing is read before they are stopped', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 24 });
  const rooms = [...guild.channelIds];
  const callsAbout = async (id: string): Promise<string[]> => {
    const calls: { method: string; path: string }[] = await fixture.simulator.control(
      'GET',
      '/log',
    );
    const about = calls.filter(({ path }) => path.endsWith(`/members/${id}`));
    return about.map(({ method }) => method);
  };
  // The members are read behind the events: until that is done, whoever acts is read.
  await eventually(10_000, async () => {
    const somebody = await guild.join();
    await guild.deleteChannel(somebody, rooms.pop() ?? '');
    await eventually(5000, async () => {
      const armed = await fixture.service.db.$client`
        select from armed_executors where platform_id = ${somebody}`;
      expect(armed).toHaveLength(1);
    });
    expect(await callsAbout(somebody)).toEqual([]);
  });
  const mallory = await guild.join();
  await deleteChannels(guild, [mallory], rooms);
  await guild.contained();
  expect((await callsAbout(mallory))[0]).toBe('PATCH');
});

test('a bot that attacks is removed', async () => {
  const guild = await newProtectedGuild(fixture);
  const bot = await guild.join([guild.mod], { isBot: true });
  await deleteChannels(guild, [bot], guild.channelIds);
  const incident = await guild.contained();
  expect(incident.executors).toMatchObject([{ platformId: bot, isBot: true, rolesTaken: [] }]);
  expect(await guild.rolesOf(bot)).toBeUndefined();
});

test('a moderator who takes roles from many members is stopped, and one who does from some is not', async () => {
  const guild = await newProtectedGuild(fixture);
  const [mallory, honest] = [await guild.join(), await guild.join()];
  const members = Array.from({ length: 50 }, randomPlatformId);
  const state = await guild.now();
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, {
    ...state,
    members: [
      ...state.members,
      ...members.map((id) => ({ user: { id, username: id }, roles: [guild.pink] })),
    ],
  });
  const strip = async (who: string, ids: string[]) => {
    for (const id of ids) {
      const path = `/guilds/${guild.guildId}/members/${id}/roles/${guild.pink}`;
      if ((await guild.call(who, 'DELETE', path)) !== 204) return;
    }
  };
  await strip(honest, members.slice(0, 10));
  await strip(mallory, members.slice(10));
  const incident = await guild.contained();
  expect(executorsOf(incident)).toEqual([mallory]);
  await guild.settled();
  const [{ acts }] = await guild.incidents();
  // Sooner as long as it is not known what the role may do.
  expect(acts.total).toBeWithin(15, 41);
});

test('two accounts in turn are both stopped, and who gets power back is stopped again', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 24 });
  const pair = [await guild.join(), await guild.join()];
  await deleteChannels(guild, pair, guild.channelIds.slice(0, 12));
  // However fast they are, some channels are left for later.
  await deleteChannels(guild, [...pair].reverse(), guild.channelIds.slice(12, 20));
  await eventually(15_000, async () => {
    expect(executorsOf(await guild.contained(2))).toEqual([...pair].sort());
    for (const person of pair) expect(await guild.rolesOf(person)).toEqual([guild.pink]);
  });

  const told = await countAlerts(guild);
  const [mallory = ''] = pair;
  const path = `/guilds/${guild.guildId}/members/${mallory}/roles/${guild.mod}`;
  const helper = await guild.join([guild.chief, guild.pink]);
  await guild.call(helper, 'PUT', path);
  await eventually(15_000, async () => {
    expect(executorsOf(await guild.contained(3))).toContain(helper);
    expect(await guild.rolesOf(helper)).toEqual([guild.pink]);
    expect(await countAlerts(guild)).toBe(told + 1);
  });
  const left = (await guild.now()).channels.at(-1).id;
  await guild.deleteChannel(mallory, left);
  await eventually(10_000, async () => {
    expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  });
  expect(await guild.incidents()).toHaveLength(1);
});

describe('at once', () => {
  test.each([
    [
      'a dangerous permission granted',
      (guild: ProtectedGuild, who: string) =>
        guild.call(who, 'PATCH', `/guilds/${guild.guildId}/roles/${guild.guard}`, {
          permissions: '268435456',
        }),
    ],
    [
      'a role with power given',
      (guild: ProtectedGuild, who: string) =>
        guild.call(who, 'PUT', `/guilds/${guild.guildId}/members/${who}/roles/${guild.guard}`),
    ],
    [
      'an invite that gives a role with power',
      (guild: ProtectedGuild, who: string) =>
        guild.call(who, 'POST', `/channels/${guild.channelIds[0]}/invites`, {
          role_ids: [guild.guard],
        }),
    ],
    [
      'an option of the onboarding that gives a role with power',
      (guild: ProtectedGuild, who: string) => {
        const option = { title: 'Sailors', role_ids: [guild.guard], channel_ids: [] };
        const prompts = [{ id: '1', title: 'Who are you?', options: [option] }];
        return guild.call(who, 'PUT', `/guilds/${guild.guildId}/onboarding`, {
          ...{ prompts, enabled: false },
        });
      },
    ],
    [
      'a prune',
      (guild: ProtectedGuild, who: string) =>
        guild.call(who, 'POST', `/guilds/${guild.guildId}/prune`, { days: 7 }),
    ],
  ])('%s is stopped', async (_, act) => {
    const guild = await newProtectedGuild(fixture);
    const mallory = await guild.join();
    expect(await act(guild, mallory)).toBeLessThan(300);
    const incident = await guild.contained();
    expect(executorsOf(incident)).toEqual([mallory]);
    expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  });

  test('a bot that somebody adds goes with them', async () => {
    const guild = await newProtectedGuild(fixture);
    const [mallory, added] = [await guild.join(), randomPlatformId()];
    await fixture.simulator.control('POST', `/guilds/${guild.guildId}/bots`, {
      ...{ botId: added, byUserId: mallory },
    });
    const incident = await guild.contained(2);
    expect(executorsOf(incident)).toEqual([mallory, added].sort());
    await eventually(10_000, async () => expect(await guild.rolesOf(added)).toBeUndefined());
  });
});

test('slow below the threshold, those who are trusted, and honest work', async () => {
  const trusted = randomPlatformId();
  const thresholds = { channelDeletes: { count: 2, perSeconds: 30 } };
  const settings = { trusted: [{ platformId: trusted, note: '' }], thresholds };
  const guild = await newProtectedGuild(fixture, { channels: 40, settings });
  const [slow, honest] = [await guild.join(), await guild.join()];
  await guild.join([guild.mod], { platformId: trusted });
  const rooms = [...guild.channelIds];
  const take = () => rooms.pop() ?? '';
  // Seven below the hourly number, and nine of somebody who is trusted.
  for (let act = 0; act < 7; act++) await guild.insertAct(slow, 'channelDeletes', (act + 1) * 60);
  for (let act = 0; act < 3; act++) await guild.insertAct(honest, 'channelDeletes', (act + 1) * 60);
  for (let act = 0; act < 9; act++) await guild.deleteChannel(trusted, take());
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
  await guild.deleteChannel(honest, take());
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
  await guild.deleteChannel(slow, take());
  expect(executorsOf(await guild.contained())).toEqual([slow]);
  for (let act = 0; act < 3; act++) await guild.deleteChannel(trusted, take());
  expect(executorsOf(await guild.contained(2))).toEqual([slow, trusted].sort());
});

/** So many who came with a wave that goes on. */
const raidOf = async ({ owner, serverId, guildId }: ProtectedGuild, people: number) => {
  const account = { db: fixture.service.db, accountId: owner.accountId };
  const incidentId = await storeWave(account, serverId);
  await account.db.$client`update raid_waves set over_at = null, guild_id = ${guildId}
    where incident_id = ${incidentId}`;
  const ids = Array.from({ length: people }, () => randomPlatformId());
  for (const [at, platformId] of ids.entries()) {
    const status = at % 2 ? 'held' : 'seen';
    await storeNewcomer(account, { serverId, incidentId, platformId, status });
  }
  return ids;
};

test('who bans and kicks people of a raid is no attacker, and hides nothing behind it', async () => {
  const guild = await newProtectedGuild(fixture);
  const [honest, mallory] = [await guild.join(), await guild.join()];
  const raiders = await raidOf(guild, 26);
  const members: string[] = [];
  for (let at = 0; at < 9; at++) members.push(await guild.join([]));
  const ban = (who: string, id: string) =>
    guild.call(who, 'PUT', `/guilds/${guild.guildId}/bans/${id}`);
  const banned = (ids: string[]) =>
    Promise.all(ids.map(async (id) => expect(await ban(honest, id)).toBe(204)));
  await banned(raiders.slice(0, 20));
  await banned(members.splice(0, 4));
  await guild.settled();
  const nukes = async () => (await guild.incidents()).filter(isNuke);
  expect(await nukes()).toEqual([]);
  expect(await guild.rolesOf(honest)).toEqual([guild.mod, guild.pink]);

  // Whoever has verified since is a member like others.
  const [verified = '', ...others] = raiders.splice(20);
  const { owner, serverId } = guild;
  await insertMembers(fixture.service.db, { owner, serverId }, { platformId: verified });
  for (const id of [...others, ...members.slice(0, 4), verified]) await ban(mallory, id);
  await eventually(15_000, async () => {
    const [incident, ...more] = await nukes();
    expect([executorsOf(incident), more]).toEqual([[mallory], []]);
    expect(incident.acts.byKind.bans).toBe(5);
    expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  });
});

const isNuke = ({ kind }: { kind: string }): boolean => kind === 'NUKE';

test('the owner is recorded and cannot be stopped; invites are paused all the same', async () => {
  const guild = await newProtectedGuild(fixture, {
    channels: 8,
    settings: { thresholds: { channelDeletes: { count: 1, perSeconds: 30 } } },
  });
  for (const id of guild.channelIds.slice(0, 5)) await guild.deleteChannel(guild.ownerId, id);
  const incident = await guild.notStopped();
  expect(incident.executors).toMatchObject([
    { platformId: guild.ownerId, stoppedAt: null, rolesTaken: [], notStopped: { code: 'OWNER' } },
  ]);
  expect((await guild.now()).guild.incidents_data.invites_disabled_until).toBeTruthy();
});

test("the bot's own token is an attacker where no job of ours uses it", async () => {
  const guild = await newProtectedGuild(fixture);
  await deleteChannels(guild, [guild.bot.platformId], guild.channelIds.slice(0, 4));
  const { executors } = await guild.notStopped();
  expect(executors).toMatchObject([
    { platformId: guild.bot.platformId, notStopped: { code: 'OWN_TOKEN' } },
  ]);
});

test('the owner of the guild can add a bot as soon as protection is switched on', async () => {
  const guild = await newProtectedGuild(fixture);
  await eventually(20_000, async () => expect(await guild.isOwnerKnown()).toBe(true));
  const bot = { botId: randomPlatformId(), byUserId: guild.ownerId };
  await fixture.simulator.control('POST', `/guilds/${guild.guildId}/bots`, bot);
  await guild.deleteChannel(guild.ownerId, guild.channelIds[0] ?? '');
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
});
