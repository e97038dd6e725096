import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { TestGuild } from '../../../../test/harness/guilds/arbitrary-guild.ts';
import {
  arbitraryActs,
  attackers,
  createActedGuild,
  type Deed,
} from '../../../../test/harness/restores/attacked-guild.ts';
import { peacefulBackup } from '../../../../test/harness/restores/peaceful-guild.ts';
import {
  createRepairs,
  describeGuild,
  type Logged,
} from '../../../../test/harness/restores/repairs.ts';
import { tries } from '../../../../test/harness/tries.ts';
import { scopeOf } from './scope.ts';

/**
 * All names that these channels had: those that are younger than the backup, and that attackers deleted. The
 * log says nothing of positions.
 */
const namesOfUnplaced = (log: readonly Logged[]): Set<string> => {
  const saved = new Set(peacefulBackup().channels?.map(({ id }) => id));
  const isLost = ({ action, targetId, isAttack }: Logged) =>
    action === 'channelDeleted' && isAttack && !saved.has(targetId ?? '');
  const lost = new Set(log.filter(isLost).map(({ targetId }) => targetId));
  const named = log
    .filter(({ targetId }) => lost.has(targetId))
    .flatMap(({ changes }) => changes.filter(({ key }) => key === 'name'));
  return new Set(named.flatMap(({ before, after }) => [String(before), String(after)]));
};

/** The deeds, and the same without those of attackers. */
const actAll = async (deeds: readonly Deed[]) => {
  const [attacked, peaceful] = [createActedGuild(), createActedGuild()];
  for (const [serial, deed] of deeds.entries()) {
    const hadEffect = await attacked.act(deed, serial);
    if (hadEffect && !attackers.includes(deed.by)) await peaceful.act(deed, serial);
  }
  const unplaced = namesOfUnplaced(attacked.log);
  const describe = (guild: TestGuild) => describeGuild(guild, unplaced);
  const expected = describe(peaceful.state);
  // An attacker does not get back a role that they deleted.
  const isLost = attacked.log.some(
    ({ action, targetId, by }) =>
      action === 'roleDeleted' && targetId === '212' && attackers.includes(by),
  );
  if (isLost)
    expected.members = expected.members.map((one) => ({
      ...{ ...one, roles: one.id === '666' ? [] : one.roles },
    }));
  return { attacked, expected, describe };
};

test('an undo leaves what honest people made of the server, and nothing of the attackers', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryActs, async (deeds) => {
      const { attacked, expected, describe } = await actAll(deeds);
      const repair = createRepairs();
      const { state } = await repair(attacked.state, attacked.log, attackers);
      expect(describe(state)).toEqual(expected);
      const again = await repair(state, attacked.log, attackers);
      expect(again.plan.steps).toEqual([]);
    }),
    tries(25),
  );
});

test('two attacks on the same things are undone by two repairs, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryActs, fc.boolean(), async (deeds, isReversed) => {
      const { attacked, expected, describe } = await actAll(deeds);
      const repair = createRepairs();
      let { state } = attacked;
      for (const executor of isReversed ? attackers.toReversed() : attackers) {
        state = (await repair(state, attacked.log, [executor])).state;
      }
      // Whether an attacker keeps a role of theirs is decided by containment.
      const ofOthers = ({ members, ...guild }: typeof expected) => ({
        ...{ ...guild, members: members.filter(({ id }) => id !== '666') },
      });
      expect(ofOthers(describe(state))).toEqual(ofOthers(expected));
    }),
    tries(20),
  );
});

const [attacker, honest] = ['666', '88'];

const act = async (
  guild: ReturnType<typeof createActedGuild>,
  by: string,
  ...ops: Deed['op'][]
) => {
  for (const op of ops) await guild.act({ by, op }, guild.log.length);
};

test('a channel that is younger than the backup comes last when it is made again', async () => {
  const guild = createActedGuild();
  await act(guild, honest, { do: 'createChannel' });
  await act(guild, attacker, { do: 'deleteChannel', slot: 'other' });
  await act(guild, honest, { do: 'createChannel' });
  const { state } = await createRepairs()(guild.state, guild.log, [attacker]);
  expect(describeGuild(state).channels.n0?.after).toEndWith(' n2 n0');
});

test('what an honest person makes again by hand stays, and is not made twice', async () => {
  const guild = createActedGuild();
  await act(guild, attacker, { do: 'deleteChannel', slot: '310' });
  await act(guild, attacker, { do: 'deleteRole', slot: '211' });
  await guild.make(honest, { channel: { kind: 'category', name: 'Deck' } });
  await guild.make(honest, { role: { name: 'Crew' } });
  const { state, plan } = await createRepairs()(guild.state, guild.log, [attacker]);
  expect(state.channels.filter(({ name }) => name === 'Deck')).toHaveLength(1);
  expect(state.roles.filter(({ name }) => name === 'Crew')).toHaveLength(1);
  // What belonged to the old ones belongs to the new ones.
  const [deck] = state.channels.filter(({ name }) => name === 'Deck');
  const [crew] = state.roles.filter(({ name }) => name === 'Crew');
  expect(state.channels.find(({ id }) => id === '311')?.parentId).toBe(deck?.id ?? '');
  expect(state.members.find(({ userId }) => userId === '91')?.roleIds).toContain(crew?.id ?? '');
  expect(plan.steps.map(({ effect }) => effect)).not.toContain('create');
});

test('a role that was made again by hand with more power is given to nobody', async () => {
  const guild = createActedGuild();
  await act(guild, attacker, { do: 'deleteRole', slot: '211' });
  await guild.make(honest, { role: { name: 'Crew', permissions: '8' } });
  const { state, plan } = await createRepairs()(guild.state, guild.log, [attacker]);
  expect(plan.steps).toEqual([]);
  expect(state.members.find(({ userId }) => userId === '91')?.roleIds).toEqual(['201']);
});

test('an honest edit of what a repair made survives when it is attacked and repaired again', async () => {
  const first = createActedGuild();
  const repair = createRepairs();
  await act(first, attacker, { do: 'deleteChannel', slot: '312' });
  await act(first, attacker, { do: 'deleteRole', slot: '211' });
  const { state } = await repair(first.state, first.log, [attacker]);
  const second = createActedGuild(state, first.log);
  const idOf = (name: string) => second.state.channels.find((one) => one.name === name)?.id ?? '';
  const crew = second.state.roles.find(({ name }) => name === 'Crew')?.id ?? '';
  const stern = idOf('stern');
  await act(second, honest, { do: 'setTopic', slot: stern });
  const topic = second.state.channels.find(({ id }) => id === stern)?.topic ?? '';
  await act(second, honest, { do: 'giveRole', slot: crew, user: '91', isSet: false });
  expect((await repair(second.state, second.log, [attacker])).plan.steps).toEqual([]);
  await act(second, attacker, { do: 'rename', slot: stern }, { do: 'deleteChannel', slot: stern });
  const { state: after } = await repair(second.state, second.log, [attacker]);
  expect(after.channels.filter(({ name }) => name === 'stern')).toMatchObject([
    { topic, parentId: '310' },
  ]);
  expect(after.members.find(({ userId }) => userId === '91')?.roleIds).toEqual(['201']);
});

test('what names a channel names it again once the repair of another attack has made it again', async () => {
  const guild = createActedGuild();
  guild.state.settings.systemChannelId = '313';
  guild.log.push({
    ...{ action: 'guildChanged', targetId: guild.state.guildId, by: '667', isAttack: true },
    changes: [{ key: 'system_channel_id', before: '301', after: '313' }],
  });
  await act(guild, '667', { do: 'deletePart', part: { list: 'webhooks', id: '432' } });
  await act(guild, attacker, { do: 'deleteChannel', slot: '301' });
  const repair = createRepairs();
  const { state } = await repair(guild.state, guild.log, [attacker]);
  const { state: after } = await repair(state, guild.log, ['667']);
  const general = after.channels.find(({ name }) => name === 'general')?.id ?? '';
  const [news] = after.parts?.webhooks?.filter(({ name }) => name === 'news') ?? [];
  expect([news?.channelId, after.settings.systemChannelId]).toEqual([general, general]);
});

for (const others of [[attacker], ['667', attacker], [attacker, '667']]) {
  test(`what others denied a role comes back with it, although it was changed meanwhile (${others})`, async () => {
    const guild = createActedGuild();
    const deny = (isSet: boolean) =>
      ({ do: 'overwrite', slot: '313', role: '211', bit: 10, side: 'deny', isSet }) as const;
    await act(guild, honest, deny(true));
    if (others.length > 1) await act(guild, '667', deny(false));
    else await act(guild, attacker, deny(false), deny(true));
    await act(guild, attacker, { do: 'deleteRole', slot: '211' });
    const repair = createRepairs();
    let { state } = guild;
    for (const one of others) state = (await repair(state, guild.log, [one])).state;
    expect(describeGuild(state).channels.mast?.overwrites).toEqual(['Crew 0 1024']);
  });
}

for (const others of [
  ['667', attacker],
  [attacker, '667'],
]) {
  test(`a channel allows and denies a role again, though each went with another attack (${others})`, async () => {
    const guild = createActedGuild();
    const deny = (isSet: boolean) =>
      ({ do: 'overwrite', slot: '312', role: '211', bit: 11, side: 'deny', isSet }) as const;
    await act(guild, honest, deny(true));
    await act(guild, '667', deny(false), { do: 'deleteRole', slot: '211' });
    await act(guild, attacker, { do: 'deleteChannel', slot: '312' });
    const repair = createRepairs();
    let { state } = guild;
    for (const one of others) state = (await repair(state, guild.log, [one])).state;
    const { overwrites } = describeGuild(state).channels.stern ?? {};
    expect(overwrites).toContain('Crew 1024 2048');
  });
}

test('of one field the last honest value counts', async () => {
  const guild = createActedGuild();
  const rename = { do: 'rename', slot: '313' } as const;
  await act(guild, attacker, rename);
  await act(guild, honest, rename);
  const name = guild.state.channels.find(({ id }) => id === '313')?.name;
  const repair = createRepairs();
  expect((await repair(guild.state, guild.log, [attacker])).plan.steps).toEqual([]);
  await act(guild, attacker, rename);
  const { state } = await repair(guild.state, guild.log, [attacker]);
  expect(state.channels.find(({ id }) => id === '313')?.name).toBe(name ?? '');
});

test('a repair lifts the bans of attackers, but not of attackers among themselves', async () => {
  const guild = createActedGuild();
  const ban = (user: '901' | '902') => ({ do: 'ban', user, isSet: true }) as const;
  const executors = [attacker, '902'];
  const bansOf = ({ bans }: TestGuild) => bans.map(({ userId }) => userId).sort();
  await act(guild, attacker, ban('901'), ban('902'));
  expect(bansOf(guild.state)).toEqual(['900', '901', '902']);
  const { state } = await createRepairs()(guild.state, guild.log, executors);
  expect(bansOf(state)).toEqual(['900', '902']);
  expect((await scopeOf(guild.log, executors)).removed).toEqual(['901']);
});
