import { afterAll, beforeAll, expect, test } from 'bun:test';
import { takeBackupNow } from '../../../../../test/harness/backups/run-backup.ts';
import { openDashboard } from '../../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';
import { randomPlatformId } from '../../../../../test/harness/service.ts';
import { compareRank } from '../../../../platform/permissions.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'restores.run', 'restores.repair'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

type Channel = { id: string; name: string; type: number; parent_id: string | null } & Placed;
type Placed = { id: string; name: string; position: number };

const byPosition = (one: Placed, other: Placed) =>
  one.position - other.position || (BigInt(one.id) < BigInt(other.id) ? -1 : 1);
const namesOf = (things: Placed[]) => things.toSorted(byPosition).map(({ name }) => name);

/** The names of the rooms of each category, and of the roles, in their order. */
const orderOf = async (guild: ProtectedGuild) => {
  const { channels, roles }: { channels: Channel[]; roles: Placed[] } = await guild.now();
  const roomsIn = (name: string | null) => {
    const parent = channels.find((one) => one.name === name)?.id ?? null;
    return namesOf(channels.filter((one) => one.parent_id === parent && one.type === 0)).join(' ');
  };
  return {
    deck: roomsIn('Deck'),
    hold: roomsIn('Hold'),
    none: roomsIn(null),
    roles: roles.toSorted(compareRank).map(({ name }) => name),
  };
};

/** Rooms 0 to 8 in the category Deck, and a category Hold; backed up. */
const newOrderedGuild = async () => {
  const guild = await newProtectedGuild(fixture, { channels: 9 });
  const [deck, hold] = [randomPlatformId(), randomPlatformId()];
  const state = await guild.now();
  const category = (id: string, name: string, position: number) => ({
    ...{ id, name, position, type: 4, guild_id: guild.guildId },
  });
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, {
    // Without what names the channels that were there before.
    ...{
      ...state,
      guild: { ...state.guild, widget_enabled: false, widget_channel_id: null },
      automod: [],
      onboarding: undefined,
      welcomeScreen: undefined,
    },
    channels: [
      ...[category(deck, 'Deck', 0), category(hold, 'Hold', 1)],
      ...state.channels.map((one: Channel) => ({ ...one, parent_id: deck })),
    ],
  });
  const { owner, serverId } = guild;
  await eventually(5000, async () => {
    const rows = await fixture.service.db.$client`
      update guild_moves set at = at - interval '1 hour' where server_id = ${serverId} returning at`;
    expect(rows.length).toBeGreaterThanOrEqual(guild.channelIds.length);
  });
  const backupId = await takeBackupNow(fixture, { owner, serverId });
  await fixture.service.db.$client`
    update backups set created_at = created_at - interval '30 minutes' where id = ${backupId}`;
  await fixture.service.db.$client`
    update servers set last_good_backup_id = ${backupId} where id = ${serverId}`;
  return { ...guild, deck, hold };
};

/** Moves a room to the category Hold, as if it had been so many seconds later, or sooner. */
const moveToHold = async (guild: OrderedGuild, id: string, seconds: number) => {
  const path = `/guilds/${guild.guildId}/channels`;
  await guild.call(guild.ownerId, 'PATCH', path, [{ id, parent_id: guild.hold }]);
  await eventually(5000, async () => {
    const rows = await fixture.service.db.$client`
      update guild_moves set at = at + make_interval(secs => ${seconds})
      where thing_id = ${id} and parent_id = ${guild.hold} returning at`;
    expect(rows).toHaveLength(1);
  });
};
type OrderedGuild = Awaited<ReturnType<typeof newOrderedGuild>>;

const repaired = async (guild: ProtectedGuild, incidentId: string) => {
  const { body } = await guild.owner.call('POST', `/api/v1/incidents/${incidentId}/repair`);
  const restore = await eventually(20_000, async () => {
    const { body: now } = await guild.owner.call('GET', `/api/v1/restores/${body.data.id}`);
    if (now.data.completedAt === null) throw new Error('Still under way');
    return now.data;
  });
  expect(restore).toMatchObject({ status: 'completed', error: null, warnings: [] });
};

test('what was only moved during an attack goes back, and honest moves before and after it stay', async () => {
  const guild = await newOrderedGuild();
  const mallory = await guild.join();
  const rooms = guild.channelIds;
  const path = `/guilds/${guild.guildId}`;
  const move = (index: number, place: object) =>
    guild.call(mallory, 'PATCH', `${path}/channels`, [{ id: rooms[index], ...place }]);
  await moveToHold(guild, rooms[5] ?? '', -60);
  const { roles } = await orderOf(guild);

  for (const index of [0, 1, 2, 3]) await move(index, { position: 3 - index });
  await move(4, { parent_id: null });
  const rolePlaces = [
    { id: guild.pink, position: 2 },
    { id: guild.guard, position: 1 },
  ];
  expect(await guild.call(mallory, 'PATCH', `${path}/roles`, rolePlaces)).toBe(200);
  expect((await orderOf(guild)).roles).not.toEqual(roles);
  for (const id of rooms.slice(6)) await guild.deleteChannel(mallory, id);
  const { id } = await guild.contained();
  await guild.settled();
  await moveToHold(guild, rooms[2] ?? '', 60);

  const browser = await openDashboard(fixture.service, guild.owner);
  const plan = await browser.call('GET', `/incidents/${id}/repair-plan`);
  expect(plan.body.data.notes).toContainEqual(expect.stringContaining('moves heard since'));
  await repaired(guild, id);
  expect(await orderOf(guild)).toEqual({
    ...{ deck: 'room-0 room-1 room-3 room-4 room-6 room-7 room-8', hold: 'room-2 room-5' },
    ...{ none: '', roles },
  });
});

test('moves of which nothing was heard during an attack stay as they are', async () => {
  const guild = await newOrderedGuild();
  const mallory = await guild.join();
  const [first = '', ...others] = guild.channelIds;
  await moveToHold(guild, first, -60);
  for (const id of others.slice(0, 4)) await guild.deleteChannel(mallory, id);
  const { id } = await guild.contained();
  await guild.settled();
  await repaired(guild, id);
  expect(await orderOf(guild)).toMatchObject({
    ...{ deck: Array.from({ length: 8 }, (_, n) => `room-${n + 1}`).join(' '), hold: 'room-0' },
  });
});
