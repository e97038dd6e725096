import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BOT, type TestGuild } from '../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel, newRole, plainSettings } from '../../../test/harness/guilds/parts.ts';
import {
  type RestoreFixture,
  startRestoreFixture,
} from '../../../test/harness/restores/fixture.ts';
import { permission } from '../../platform/permissions.ts';

let trial: RestoreFixture;
beforeAll(async () => {
  trial = await startRestoreFixture();
});
afterAll(() => trial.stop());

const guildId = '910000000000000000';
const staffId = '910000000000000001';
const see = permission.viewChannel.toString();
const shut = { id: guildId, kind: 'role' as const, allow: '0', deny: see };
const staffOnly = [shut, { id: staffId, kind: 'role' as const, allow: see, deny: '0' }];

const idOf = (nth: number) => `91000000000000010${nth}`;
const [hall, vault] = [idOf(0), idOf(1)];
const text = (
  nth: number,
  name: string,
  parentId: string,
  overwrites: TestGuild['channels'][0]['overwrites'],
) => newChannel({ id: idOf(nth), kind: 'text', name, parentId, position: nth, overwrites });

/** An open category with a channel for administrators alone, and a closed one with a public channel. */
const community = (): TestGuild => ({
  ...{ guildId, ownerId: '88', settings: plainSettings('Harbour') },
  roles: [
    newRole({ id: guildId, name: '@everyone', permissions: see }),
    newRole({ id: staffId, name: 'Staff', position: 1 }),
    newRole({
      ...{ id: BOT.roleIds[0] ?? '', name: 'Holdfast', position: 2, isManaged: true },
      ...{ botId: BOT.userId, permissions: permission.administrator.toString() },
    }),
  ],
  channels: [
    newChannel({ id: hall, kind: 'category', name: 'Hall' }),
    newChannel({ id: vault, kind: 'category', name: 'Vault', position: 1, overwrites: [shut] }),
    text(2, 'talk', hall, []),
    text(3, 'admins', hall, [shut]),
    text(4, 'staff', hall, staffOnly),
    text(5, 'safe', vault, [shut]),
    text(6, 'lobby', vault, []),
  ],
  ...{ emojis: [], stickers: [], bans: [] },
  members: [{ ...BOT, nick: null, isBot: true }],
});

/** Both categories were turned around, and what followed them with them. */
const turnedAround = (): TestGuild => {
  const wreck = community();
  const overwrites = new Map([
    [hall, [shut]],
    [vault, []],
    [idOf(2), [shut]],
    [idOf(5), []],
  ]);
  for (const channel of wreck.channels) {
    channel.overwrites = overwrites.get(channel.id) ?? channel.overwrites;
  }
  return wreck;
};

for (const mode of ['REPLACE', 'REPAIR'] as const) {
  for (const syncs of [true, false]) {
    const where = syncs ? 'channels follow their category' : 'no channel follows its category';
    test(`a private channel in an open category stays private in mode ${mode} where ${where}`, async () => {
      const how = { mode, syncs };
      const { status, losses, summary, violations } = await trial.restoreOver(
        community(),
        turnedAround(),
        how,
      );
      // What was open before, or is to be, may be seen.
      const seen = violations.filter((line) => /admins|staff/.test(line));
      expect(seen).toEqual([]);
      expect(losses).toEqual([]);
      expect(summary.after).toEqual(summary.expected);
      expect(status).toBe('completed');
    });
  }
}

/** Nobody sees anything but by a category that lets the staff in; one channel of it is for administrators alone. */
const hidden = (): TestGuild => {
  const guild = community();
  const roles = guild.roles.map((one) => (one.id === guildId ? { ...one, permissions: '0' } : one));
  const staff = { id: staffId, kind: 'role' as const, allow: see, deny: '0' };
  return {
    ...{ ...guild, roles },
    channels: [
      newChannel({ id: hall, kind: 'category', name: 'Hall', overwrites: [staff] }),
      text(2, 'talk', hall, [staff]),
      text(3, 'admins', hall, []),
    ],
  };
};

for (const mode of ['REPLACE', 'REPAIR'] as const) {
  test(`a channel that says nothing of anybody does not copy its category in mode ${mode}`, async () => {
    const wreck = {
      ...hidden(),
      channels: [newChannel({ id: vault, kind: 'text', name: 'pwned' })],
    };
    const { status, losses, summary } = await trial.restoreOver(hidden(), wreck, {
      ...{ mode, deleteExtra: true },
    });
    expect([losses, status]).toEqual([[], 'completed']);
    expect(summary.after).toEqual(summary.expected);
  });
}
