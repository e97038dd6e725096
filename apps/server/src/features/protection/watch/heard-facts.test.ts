import { expect, test } from 'bun:test';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import { createHeardFacts } from './heard-facts.ts';

const guild = { botId: 'bot', guildId: '1' };

const ownedBy = (ownerId: string): GuildEvent => ({
  ...{ kind: 'guildChanged', guildId: '1', name: 'Harbor', iconHash: null, ownerId },
});

const roleWith = (id: string, permissions: string): GuildEvent => ({
  ...{ kind: 'roleChanged', guildId: '1' },
  role: { id, permissions, isManaged: false, position: 1 },
});

test('the last that was heard of each thing is told, in the order in which it was heard', () => {
  const heard = createHeardFacts();
  for (const event of [ownedBy('10'), roleWith('20', '0'), roleWith('21', '8'), ownedBy('11')]) {
    heard.hear(guild, event);
  }
  heard.hear(guild, { kind: 'roleDeleted', guildId: '1', roleId: '20' });
  heard.hear(guild, { kind: 'memberLeft', guildId: '1', userId: '11' });
  expect(heard.of(guild)).toEqual([
    roleWith('21', '8'),
    ownedBy('11'),
    { kind: 'roleDeleted', guildId: '1', roleId: '20' },
  ]);
  expect(heard.of({ ...guild, botId: 'other' })).toEqual([]);
});

test('after a minute it is stored, and nothing is kept of it', () => {
  let now = 0;
  const heard = createHeardFacts(() => now);
  heard.hear(guild, ownedBy('10'));
  now = 40_000;
  heard.hear(guild, roleWith('20', '0'));
  now = 61_000;
  expect(heard.of(guild)).toEqual([roleWith('20', '0')]);
  heard.forgetOld();
  expect(heard.count()).toBe(1);
  now = 101_000;
  heard.forgetOld();
  expect(heard.count()).toBe(0);
});

test('what another process may have followed since is forgotten, with what the bot left', () => {
  const heard = createHeardFacts();
  const other = { botId: 'other', guildId: '1' };
  for (const one of [guild, { ...guild, guildId: '2' }, other]) heard.hear(one, ownedBy('10'));
  heard.forgetBot('bot');
  expect([heard.of(guild), heard.of(other)]).toEqual([[], [ownedBy('10')]]);
  heard.forgetGuild(other);
  expect(heard.count()).toBe(0);
});

test('however many guilds and roles are told, so many are remembered', () => {
  const heard = createHeardFacts();
  for (let one = 0; one < 10_050; one++) heard.hear({ ...guild, guildId: `${one}` }, ownedBy('1'));
  expect(heard.count()).toBe(10_000);
  expect(heard.of({ ...guild, guildId: '49' })).toEqual([]);
  const last = { ...guild, guildId: '10049' };
  for (let one = 0; one < 1500; one++) heard.hear(last, roleWith(`${one}`, '0'));
  expect(heard.of(last)).toHaveLength(1000);
});
