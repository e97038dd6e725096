import { afterEach, describe, expect, test } from 'bun:test';
import { createAttacks } from '../../../../../test/harness/attacks/attacked-server.ts';
import {
  type OwnedGuild,
  startBackupFixture,
} from '../../../../../test/harness/backups/fixture.ts';
import { guildMoves } from '../../table.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run', 'restores.repair'],
});
const { newPerson, guildOf, storeAttack } = createAttacks(simulator, service);
type Person = ReturnType<typeof newPerson>;

const sync = (isOn: boolean) => simulator.control('PUT', '/permission-sync', { isOn });
afterEach(() => sync(true));

const [VIEW, SEND, BOTH] = ['1024', '2048', '3072'];
const crew = '7001';
const rule = (id: string, allow: string, deny: string) => ({ id, type: 0, allow, deny });
type Rules = ReturnType<typeof rule>[];
type Room = { name: string; rules?: (everyone: string) => Rules; parent?: string };

const shut = (everyone: string) => [rule(everyone, '0', VIEW)];
const open = (everyone: string) => [rule(everyone, VIEW, '0')];
const crewOnly = (everyone: string) => [...shut(everyone), rule(crew, VIEW, '0')];

/** A guild with these categories and channels, and its backup. */
const newGuild = async (rooms: Room[]) => {
  const server = await fixture.newServer();
  const { guildId } = server;
  const idOf = (name: string) =>
    String(BigInt(guildId) + BigInt(rooms.findIndex((one) => one.name === name) + 1));
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [
      { id: guildId, name: '@everyone', permissions: VIEW },
      { id: crew, name: 'Crew', permissions: '0' },
    ],
    channels: rooms.map(({ name, rules, parent }) => ({
      ...{ id: idOf(name), name, type: /^[A-Z]/.test(name) ? 4 : 0 },
      ...{ parent_id: parent ? idOf(parent) : null, permission_overwrites: rules?.(guildId) ?? [] },
    })),
  });
  await fixture.takeBackup(server);
  return { server, idOf, everyone: guildId };
};

type Guild = Awaited<ReturnType<typeof newGuild>>;
type Kept = { name: string; parent_id: string | null; permission_overwrites: Rules };

/** What each channel says of everyone and of the crew, by its name. */
const accessOf = async ({ server, everyone }: Pick<Guild, 'server' | 'everyone'>) => {
  const { channels } = await guildOf(server);
  const spell = ({ id, allow, deny }: Rules[0]) =>
    `${id === everyone ? 'all' : id === crew ? 'crew' : 'other'} +${allow} -${deny}`;
  return Object.fromEntries(
    channels.map(({ name, permission_overwrites }: Kept) => [
      name,
      permission_overwrites
        .filter(({ allow, deny }) => allow !== '0' || deny !== '0')
        .map(spell)
        .sort()
        .join(', '),
    ]),
  );
};

/** Sets, or with nothing takes away, what a channel says of somebody. */
const setRule = (
  person: Person,
  { idOf }: Guild,
  room: string,
  { id, allow, deny }: Rules[0],
): Promise<unknown> =>
  allow === '0' && deny === '0'
    ? person.call('DELETE', `/channels/${idOf(room)}/permissions/${id}`)
    : person.call('PUT', `/channels/${idOf(room)}/permissions/${id}`, { type: 0, allow, deny });

/** As the bot would have heard it by now: no entry tells of it. */
const hear = async ({ server, idOf }: Guild, room: string, parentId: string | null) => {
  const { serverId, tenant } = server;
  const place = { type: 'channel' as const, thingId: idOf(room), parentId, position: 1 };
  const { accountId } = tenant;
  await service.db.insert(guildMoves).values({ serverId, accountId, ...place, at: new Date() });
};

const move = async (guild: Guild, person: Person, room: string, category: string) => {
  const [id, parentId] = [guild.idOf(room), guild.idOf(category)];
  const places = [{ id, position: 1, parent_id: parentId }];
  await person.call('PATCH', `/guilds/${guild.server.guildId}/channels`, places);
  await hear(guild, room, parentId);
};

const repairAll = async (server: OwnedGuild, reader: Person, attacker: Person) => {
  const { repair } = await storeAttack(server, reader, attacker.id);
  const { body } = await server.tenant.call('POST', repair);
  const restore = await fixture.restored(server, body.data.id);
  expect(restore).toMatchObject({ status: 'completed', warnings: [], error: null });
};

const [isOpen, isShut] = ['all +1024 -0', 'all +0 -1024'];

for (const isOn of [true, false]) {
  describe(isOn ? 'where channels follow their category' : 'where no channel follows', () => {
    const begin = async (rooms: Room[]) => {
      await sync(isOn);
      return { guild: await newGuild(rooms), attacker: newPerson(), honest: newPerson() };
    };

    test('who opens a category is undone in what followed it, and only there', async () => {
      const { guild, attacker, honest } = await begin([
        { name: 'Hold', rules: shut },
        { name: 'gold', rules: shut, parent: 'Hold' },
        { name: 'log', rules: shut, parent: 'Hold' },
        { name: 'lobby', rules: open, parent: 'Hold' },
        { name: 'officers', rules: crewOnly, parent: 'Hold' },
        { name: 'attic', rules: shut },
      ]);
      const before = await accessOf(guild);
      await setRule(attacker, guild, 'Hold', rule(guild.everyone, VIEW, '0'));
      const left = await accessOf(guild);
      expect([left.gold, left.log, left.attic]).toEqual(
        isOn ? [isOpen, isOpen, isShut] : [isShut, isShut, isShut],
      );
      await repairAll(guild.server, honest, attacker);
      expect(await accessOf(guild)).toEqual(before);
    });

    test('also where the category is gone, and what followed it was changed, moved out or deleted', async () => {
      const { guild, attacker, honest } = await begin([
        { name: 'Hold', rules: shut },
        ...['gold', 'renamed', 'given', 'moved', 'sunk'].map((name) => ({
          ...{ name, rules: shut, parent: 'Hold' },
        })),
      ]);
      const { idOf, everyone, server } = guild;
      const before = await accessOf(guild);
      await setRule(attacker, guild, 'Hold', rule(everyone, VIEW, '0'));
      await attacker.call('PATCH', `/channels/${idOf('renamed')}`, { name: 'pwned' });
      await setRule(attacker, guild, 'given', rule(crew, SEND, '0'));
      await attacker.call('PATCH', `/guilds/${server.guildId}/channels`, [
        { id: idOf('moved'), position: 9, parent_id: null },
      ]);
      for (const name of ['sunk', 'Hold']) {
        await attacker.call('DELETE', `/channels/${idOf(name)}`);
      }
      await repairAll(server, honest, attacker);
      expect(await accessOf(guild)).toEqual(before);
    });

    test('also what was moved into the category since the backup, of which the gateway alone told', async () => {
      const { guild, attacker, honest } = await begin([
        { name: 'Hold', rules: shut },
        { name: 'late', rules: shut },
        { name: 'never', rules: open },
      ]);
      const { idOf, everyone, server } = guild;
      const before = await accessOf(guild);
      await move(guild, honest, 'late', 'Hold');
      await setRule(attacker, guild, 'Hold', rule(everyone, VIEW, '0'));
      expect((await accessOf(guild)).late).toBe(isOn ? isOpen : isShut);
      await attacker.call('DELETE', `/channels/${idOf('Hold')}`);
      await hear(guild, 'late', null);
      await repairAll(server, honest, attacker);
      expect(await accessOf(guild)).toEqual(before);
    });

    test('what honest people set since stays, beside what followed', async () => {
      const { guild, attacker, honest } = await begin([
        { name: 'Hold', rules: shut },
        ...['gold', 'quiet', 'shown'].map((name) => ({ name, rules: shut, parent: 'Hold' })),
      ]);
      const { everyone } = guild;
      await setRule(attacker, guild, 'Hold', rule(everyone, VIEW, '0'));
      await setRule(honest, guild, 'gold', rule(crew, VIEW, '0'));
      await setRule(honest, guild, 'quiet', rule(everyone, '0', BOTH));
      for (const [allow, deny] of [['0', VIEW] as const, [VIEW, SEND] as const]) {
        await setRule(honest, guild, 'shown', rule(everyone, allow, deny));
      }
      await repairAll(guild.server, honest, attacker);
      expect(await accessOf(guild)).toEqual({
        Hold: isShut,
        gold: `${isShut}, crew +1024 -0`,
        quiet: 'all +0 -3072',
        shown: 'all +1024 -2048',
      });
    });

    test('what the owner closed by its category before the attack does not come back open', async () => {
      const { guild, attacker, honest } = await begin([
        { name: 'Deck' },
        ...['bow', 'stern', 'mast'].map((name) => ({ name, parent: 'Deck' })),
        { name: 'Hold', rules: shut },
        { name: 'gold', rules: shut, parent: 'Hold' },
      ]);
      const { everyone, idOf } = guild;
      await setRule(honest, guild, 'Deck', rule(everyone, '0', VIEW));
      await setRule(honest, guild, 'stern', rule(crew, VIEW, '0'));
      await setRule(honest, guild, 'Hold', rule(crew, VIEW, '0'));
      const before = await accessOf(guild);
      expect(before.bow).toBe(isOn ? isShut : '');
      await attacker.call('DELETE', `/channels/${idOf('stern')}`);
      await setRule(attacker, guild, 'Deck', rule(everyone, VIEW, '0'));
      await attacker.call('DELETE', `/channels/${idOf('bow')}`);
      await setRule(attacker, guild, 'Hold', rule(everyone, VIEW, '0'));
      await repairAll(guild.server, honest, attacker);
      expect(await accessOf(guild)).toEqual(before);
    });

    test('an attack on what was repaired is undone again', async () => {
      const { guild, attacker, honest } = await begin([
        { name: 'Hold', rules: shut },
        ...['gold', 'given'].map((name) => ({ name, rules: shut, parent: 'Hold' })),
      ]);
      const { idOf, everyone, server } = guild;
      const before = await accessOf(guild);
      await setRule(attacker, guild, 'Hold', rule(everyone, VIEW, '0'));
      await attacker.call('DELETE', `/channels/${idOf('Hold')}`);
      await repairAll(server, honest, attacker);
      const { channels } = await guildOf(server);
      const hold = channels.find(({ name }: Kept) => name === 'Hold').id;
      const again = newPerson();
      await again.call('PUT', `/channels/${hold}/permissions/${everyone}`, {
        ...{ type: 0, allow: VIEW, deny: '0' },
      });
      await setRule(again, guild, 'given', rule(crew, SEND, '0'));
      await repairAll(server, honest, again);
      expect(await accessOf(guild)).toEqual(before);
    });
  });
}
