import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { decideAtOnce } from '../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { permission } from '../../../platform/permissions.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'protection.return-roles'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const letFollow = (isOn: boolean) => fixture.simulator.control('PUT', '/permission-sync', { isOn });
afterEach(() => letFollow(true));

const one = { count: 1, perSeconds: 30 };
const settings = { thresholds: { channelDeletes: one } };
const manage = permission.manageChannels;
const deny = `${permission.viewChannel}`;

type Overwritten = { id: string; type: number; allow: string; deny: string };
type Channel = { id: string; permission_overwrites: Overwritten[] };

/** What somebody is allowed in a channel by an overwrite of their own. */
const powerIn = (channel: Channel, who: string): bigint =>
  BigInt(channel.permission_overwrites.find(({ id }) => id === who)?.allow ?? 0) & manage;

/**
 * A closed category in which two people have power. One channel follows it, one is the same for everybody but
 * the attacker, one gives power to the attacker alone, one was set apart by nothing else than the second person.
 */
const closedCategory = async () => {
  const guild = await newProtectedGuild(fixture, { settings });
  const [mallory, trudy] = [await guild.join(), await guild.join()];
  const own = (id: string) => ({ id, type: 1, allow: `${manage}`, deny: '0' });
  const closed = { id: guild.guildId, type: 0, allow: '0', deny };
  const has = {
    category: [closed, own(mallory), own(trudy)],
    follower: [closed, own(mallory), own(trudy)],
    without: [closed, own(trudy)],
    second: [closed, own(mallory)],
    neither: [closed],
  };
  const ids = Object.fromEntries(Object.keys(has).map((name) => [name, randomPlatformId()]));
  const state = await guild.now();
  const made = Object.entries(has).map(([name, permission_overwrites]) => ({
    ...{ id: ids[name], name, guild_id: guild.guildId, permission_overwrites },
    ...(name === 'category' ? { type: 4 } : { type: 0, parent_id: ids.category }),
  }));
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, {
    ...state,
    channels: [...state.channels, ...made],
  });
  const read = async (name: keyof typeof has): Promise<Channel> => {
    const { channels } = await guild.now();
    return channels.find(({ id }: Channel) => id === ids[name]);
  };
  const powers = async (who: string) => {
    const names = Object.keys(has) as (keyof typeof has)[];
    const held = await Promise.all(
      names.map(async (name) => (powerIn(await read(name), who) === 0n ? [] : [name])),
    );
    return held.flat();
  };
  return { ...guild, mallory, trudy, ids, read, powers };
};

type Closed = Awaited<ReturnType<typeof closedCategory>>;

const attack = async (guild: Closed, people: string[]) => {
  for (const [index, who] of people.entries()) {
    await guild.deleteChannel(who, guild.channelIds[index] ?? '');
  }
  const incident = await guild.contained(people.length);
  await eventually(15_000, async () => {
    for (const who of people) expect(await guild.powers(who)).toEqual([]);
  });
  return incident;
};

const giveBack = async (guild: Closed, incidentId: string, people: string[]) => {
  const { status } = await decideAtOnce(fixture.service, guild.owner, incidentId, 'return-roles');
  expect(status).toBe(202);
  await eventually(15_000, async () => {
    for (const who of people) expect(await guild.rolesOf(who)).toContain(guild.mod);
  });
};

const isOpen = (channel: Channel, everyone: string): boolean =>
  !channel.permission_overwrites.some((own) => own.id === everyone && own.deny === deny);

/** The kinds of what the bot is said to have done that no job of ours did. */
const actsOfBot = async ({ bot, serverId }: Pick<ProtectedGuild, 'bot' | 'serverId'>) => {
  const rows = await fixture.service.db.$client`
    select kind from guild_acts
    where server_id = ${serverId} and executor_id = ${bot.platformId}
      and kind not in ('other', 'ownDemotions')`;
  return rows.map(({ kind }: { kind: string }) => kind);
};

describe.each([
  ['follow', true],
  ['do not follow', false],
])('where channels %s their category', (_, follow) => {
  test('somebody gets back what was taken of their overwrites, and nowhere else', async () => {
    const guild = await closedCategory();
    await letFollow(follow);
    const { id } = await attack(guild, [guild.mallory]);
    expect(await guild.powers(guild.trudy)).toEqual(['category', 'follower', 'without']);
    await giveBack(guild, id, [guild.mallory]);
    expect(await guild.powers(guild.mallory)).toEqual(['category', 'follower', 'second']);
    expect(await guild.powers(guild.trudy)).toEqual(['category', 'follower', 'without']);
    await guild.settled();
    expect(await actsOfBot(guild)).toEqual([]);
  });

  test('two people get back each their own', async () => {
    const guild = await closedCategory();
    await letFollow(follow);
    const people = [guild.mallory, guild.trudy];
    const { id } = await attack(guild, people);
    await giveBack(guild, id, people);
    expect(await guild.powers(guild.mallory)).toEqual(['category', 'follower', 'second']);
    expect(await guild.powers(guild.trudy)).toEqual(['category', 'follower', 'without']);
    await guild.settled();
    expect(await actsOfBot(guild)).toEqual([]);
  });
});

test.each<[string, boolean, 'follower'[]]>([
  ['follow', true, []],
  ['do not follow', false, ['follower']],
])(
  'what somebody was denied since stays denied where channels %s their category',
  async (_, follow, rest) => {
    const guild = await closedCategory();
    await letFollow(follow);
    const { id } = await attack(guild, [guild.mallory]);
    for (const name of ['category', 'second']) {
      const path = `/channels/${guild.ids[name]}/permissions/${guild.mallory}`;
      const denied = { type: 1, allow: '0', deny: `${manage}` };
      expect(await guild.call(guild.ownerId, 'PUT', path, denied)).toBe(204);
    }
    await giveBack(guild, id, [guild.mallory]);
    expect(await guild.powers(guild.mallory)).toEqual(rest);
  },
);

test('a channel that did not follow does not begin to when power is taken: whoever opens the category opens what followed it', async () => {
  const guild = await closedCategory();
  await attack(guild, [guild.mallory, guild.trudy]);
  const path = `/channels/${guild.ids.category}/permissions/${guild.guildId}`;
  expect(await guild.call(guild.ownerId, 'PUT', path, { type: 0, allow: '0', deny: '0' })).toBe(
    204,
  );
  const names = ['category', 'follower', 'without', 'second', 'neither'] as const;
  const open = await Promise.all(
    names.map(async (name) => (isOpen(await guild.read(name), guild.guildId) ? [name] : [])),
  );
  expect(open.flat()).toEqual(['category', 'follower']);
});

/** Gives a channel what its category has at this moment. */
const makeAlike = async (guild: Closed, name: 'neither') => {
  const { permission_overwrites } = await guild.read('category');
  const state = await guild.now();
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, {
    ...state,
    channels: state.channels.map((channel: Channel) =>
      channel.id === guild.ids[name] ? { ...channel, permission_overwrites } : channel,
    ),
  });
};

test('nobody gets power in a channel that was made to follow since', async () => {
  const guild = await closedCategory();
  const { id } = await attack(guild, [guild.mallory]);
  await makeAlike(guild, 'neither');
  await giveBack(guild, id, [guild.mallory]);
  expect(await guild.powers(guild.mallory)).toEqual(['category', 'follower', 'second']);
});

test('nobody keeps power in a channel that followed at the moment when it was given back', async () => {
  const guild = await closedCategory();
  const { id } = await attack(guild, [guild.mallory]);
  await makeAlike(guild, 'neither');
  const { seq } = (await fixture.simulator.control('GET', '/log')).at(-1);
  const route = '/channels/:id/permissions/:id';
  // The second call gives the category's back, when the channel was set apart.
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'PUT', route, guildId: guild.guildId },
    ...{ nth: 2, times: 1, when: 'before', action: 'delay', ms: 3000 },
  });
  const given = giveBack(guild, id, [guild.mallory]);
  await eventually(10_000, async () => {
    const log: { path: string }[] = await fixture.simulator.control('GET', `/log?since=${seq}`);
    expect(log.some(({ path }) => path.includes(`${guild.ids.category}/permissions`))).toBe(true);
  });
  const { permission_overwrites } = await guild.read('neither');
  expect(permission_overwrites.map(({ id }) => id)).toContain(guild.bot.platformId);
  await makeAlike(guild, 'neither');
  await given;
  expect(await guild.powers(guild.mallory)).toEqual(['category', 'follower', 'second']);
});

test('the reason of a return excuses nobody who was given nothing back', async () => {
  const guild = await newProtectedGuild(fixture, { settings });
  const path = `/channels/${guild.channelIds[0]}/permissions/${guild.guildId}`;
  const body = { type: 0, allow: '0', deny };
  const reason = auditReasons.rolesBack();
  expect(await guild.call(guild.bot.platformId, 'PUT', path, body, reason)).toBe(204);
  await eventually(10_000, async () => expect(await actsOfBot(guild)).toEqual(['edits']));
});
