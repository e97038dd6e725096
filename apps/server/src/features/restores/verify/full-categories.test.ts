import { expect, test } from 'bun:test';
import {
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel } from '../../../../test/harness/guilds/parts.ts';
import { smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { runOnModel } from '../../../../test/harness/restores/run-on-model.ts';
import { planRestore } from '../plan/plan-restore.ts';
import { findDifferences } from './differences.ts';

const upper = '400';
const lower = '500';
const full = 50;

/** Two categories, each with as many channels as the platform takes. */
const withFullCategories = (): TestGuild => {
  const guild = smallGuild();
  for (const [index, id] of [upper, lower].entries()) {
    guild.channels.push(
      newChannel({ id, kind: 'category', name: `rooms-${id}`, position: index }),
      ...Array.from({ length: full }, (_, at) =>
        newChannel({
          ...{ id: `${id}${at + 100}`, kind: 'text', name: `room-${id}-${at}` },
          ...{ parentId: id, position: 10 + at },
        }),
      ),
    );
  }
  return guild;
};

const repair = async (backup: TestGuild, target: TestGuild, deleteExtra = false) => {
  const snapshot = snapshotOf(backup);
  const input = { snapshot, components: everyComponent, bot: BOT, mode: 'REPAIR' as const };
  const plan = planRestore({ ...input, current: structuredClone(target), deleteExtra });
  const { state, idMap } = await runOnModel(plan, backup, target, undefined, {
    areChannelsRepaired: true,
  });
  const how = { mode: 'REPAIR' as const, deleteExtra };
  const differences = findDifferences(snapshot, state, idMap, everyComponent, how);
  return { plan, state, differences };
};

test('channels that changed places between two full categories go back', async () => {
  const target = withFullCategories();
  for (const channel of target.channels) {
    if (channel.parentId === upper && channel.position < 13) channel.parentId = lower;
    else if (channel.parentId === lower && channel.position < 13) channel.parentId = upper;
  }
  const { plan, differences } = await repair(withFullCategories(), target);
  expect(plan.losses).toEqual([]);
  expect(differences).toEqual([]);
  const moves = plan.updates.map(({ changes }) => changes.map(({ field }) => field));
  expect(moves).toEqual(Array.from({ length: 6 }, () => ['parent_id']));
});

test('what raiders put into a category makes room for what was there, where it is to go', async () => {
  const target = withFullCategories();
  target.channels = target.channels.map((channel) =>
    channel.parentId === upper ? { ...channel, id: `9${channel.id}`, name: 'raided' } : channel,
  );
  const { plan, state, differences } = await repair(withFullCategories(), target, true);
  expect(plan.losses).toEqual([]);
  expect(differences).toEqual([]);
  expect(state.channels.filter(({ name }) => name === 'raided')).toEqual([]);
});

test('what stays in a category keeps its place, and what has no room there stands outside', async () => {
  const target = withFullCategories();
  const last = target.channels.find(({ id }) => id === `${upper}100`);
  if (!last) throw new Error('The category has channels');
  Object.assign(last, { id: '9999', name: 'added-by-an-owner' });
  const { plan, state } = await repair(withFullCategories(), target);
  expect(plan.losses).toEqual([{ type: 'channel', name: `room-${upper}-0`, code: 'categoryFull' }]);
  const outside = state.channels.find(({ name }) => name === `room-${upper}-0`);
  expect(outside?.parentId).toBeNull();
  expect(state.channels.filter(({ parentId }) => parentId === upper)).toHaveLength(full);
  expect(state.channels.find(({ id }) => id === '9999')?.parentId).toBe(upper);
});
