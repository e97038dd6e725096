import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  BOT,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { guildId } from '../../../../test/harness/guilds/small-guild.ts';
import { attackers } from '../../../../test/harness/restores/attacked-guild.ts';
import {
  createFollowingWorld,
  followingGuild,
  followingHistory,
  gives,
  people,
  runCalls,
} from '../../../../test/harness/restores/following-guild.ts';
import { createGivenIds } from '../../../../test/harness/restores/given-ids.ts';
import { findGiven } from '../../../../test/harness/restores/powers.ts';
import { tries } from '../../../../test/harness/tries.ts';
import { withFollowed } from './followed.ts';
import type { TimedAct } from './known-channels.ts';
import { findLiveIds } from './live-ids.ts';
import { liveUndo } from './live-undo.ts';
import { planSteps } from './plan-undo.ts';
import { scopeOf } from './scope.ts';
import { undoComponents } from './wanted-guild.ts';

type World = ReturnType<typeof createFollowingWorld>;

/** What is known of the log: whether it goes back to the backup, and whether it says all of what is deleted. */
type Known = { since?: number; isTold?: boolean; saved?: TestGuild };

/** The platform leaves out of an entry what is too large. */
const withoutOverwrites = (acts: readonly TimedAct[]): TimedAct[] =>
  acts.map((act) => ({
    ...act,
    changes: act.changes.filter(({ key }) => key !== 'permission_overwrites'),
  }));

/** Repairs as the service does; what it did is in the log afterwards. */
const createRepairs = (
  syncs: boolean,
  { since = 0, isTold = true, saved = followingGuild() }: Known = {},
) => {
  const given = createGivenIds();
  let repairs = 1n;
  return async ({ state, told }: World, allowed: TestGuild[]) => {
    const current = { ...structuredClone(state), ownerId: String(10n ** 18n * ++repairs) };
    const backup = snapshotOf(saved);
    const log = told.log.slice(since);
    const hasGap = since > 0;
    const seen = { backup, current, heard: told.heard, hasGap };
    const acts = await withFollowed(isTold ? log : withoutOverwrites(log), seen);
    const scope = {
      ...(await scopeOf(acts, attackers)),
      unknown: hasGap ? { from: '2026-01-01', until: '2026-01-02' } : undefined,
    };
    const input = liveUndo(await findLiveIds(given, { scope, backup, current }));
    const plan = planSteps(input, { bot: BOT, components: undoComponents(scope) });
    const ran = await runCalls(plan, current, syncs, (before, after) => {
      told.note(before, after, BOT.userId);
      expect(findGiven(after, ...allowed, current)).toEqual([]);
    });
    given.record(plan.steps, ran.idMap);
    return { plan, world: createFollowingWorld(syncs, ran.state, told) };
  };
};

const options = tries(25);

const ways = fc.record({ syncs: fc.boolean(), isWhole: fc.boolean(), isTold: fc.boolean() });

test('nobody may do more after a repair than when the attack began, whichever channels followed a category', async () => {
  await fc.assert(
    fc.asyncProperty(followingHistory(), ways, async (history, { syncs, isWhole, isTold }) => {
      const world = createFollowingWorld(syncs);
      // A denial that was made unseen, for a role that is deleted, nobody can know of.
      const isKnown = (op: (typeof history.between)[number]) =>
        isWhole || op.do !== 'overwrite' || op.side === 'allow' || op.role === guildId;
      await world.act(people.honest, history.between.filter(isKnown));
      const begin = structuredClone(world.state);
      const since = isWhole ? 0 : world.told.log.length;
      const attack = async (on: World, acts: typeof history.attack) => {
        await on.act(people.attacker, acts);
        // Of what is not known nothing is taken back either.
        return since === 0 ? [begin] : [begin, structuredClone(on.state)];
      };
      const repair = createRepairs(syncs, { since, isTold });
      const allowed = await attack(world, history.attack);
      const { world: repaired } = await repair(world, allowed);
      expect(findGiven(repaired.state, ...allowed)).toEqual([]);
      const still = [...allowed, ...(await attack(repaired, history.again))];
      expect(findGiven((await repair(repaired, still)).world.state, ...still)).toEqual([]);
    }),
    options,
  );
}, 600_000);

/** Who may do what where, by names: what is made again has another id. */
const overwritesOf = ({ channels, roles }: TestGuild) => {
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  return Object.fromEntries(
    channels.map(({ name, overwrites }) => [
      name,
      overwrites
        .filter(({ allow, deny }) => allow !== '0' || deny !== '0')
        .map(({ id, allow, deny }) => `${names.get(id)} +${allow} -${deny}`)
        .sort(),
    ]),
  );
};

for (const syncs of [true, false]) {
  const where = syncs ? 'channels follow their category' : 'no channel follows';
  // What is given by a category is not given to a channel of which nothing tells that it followed.
  const isTold = (op: Parameters<typeof gives>[0]) => !syncs || !gives(op);
  test(`where ${where}, each channel is after a repair as it was when the attack began`, async () => {
    await fc.assert(
      fc.asyncProperty(followingHistory(isTold), async ({ between, attack }) => {
        const world = createFollowingWorld(syncs);
        await world.act(people.honest, between);
        const begin = structuredClone(world.state);
        await world.act(people.attacker, attack);
        const repair = createRepairs(syncs);
        const { world: repaired } = await repair(world, [begin]);
        expect(overwritesOf(repaired.state)).toEqual(overwritesOf(begin));
        if (syncs) expect((await repair(repaired, [begin])).plan.steps).toEqual([]);
      }),
      options,
    );
  }, 600_000);
}

const view = { do: 'overwrite', role: guildId, bit: 10, isSet: true } as const;

test('where the log has a gap, no channel is opened because its category was closed like it', async () => {
  const world = createFollowingWorld(true);
  await world.act(people.honest, [{ ...view, channel: '511', side: 'deny' }]);
  const begin = structuredClone(world.state);
  await world.act(people.attacker, [{ ...view, channel: '510', side: 'deny' }]);
  const repair = createRepairs(true, { since: 1 });
  const { state } = (await repair(world, [begin])).world;
  expect(overwritesOf(state).c511).toEqual(['@everyone +0 -1024']);
});

test('a channel that is like its category since somebody left follows it, and is closed again', async () => {
  const saved = followingGuild();
  const inHold = saved.channels.find(({ id }) => id === '500')?.overwrites;
  const guest = { id: '95', kind: 'member' as const, allow: '2048', deny: '0' };
  const begin = structuredClone(saved);
  inHold?.push(guest);
  const world = createFollowingWorld(true, structuredClone(begin));
  await world.act(people.attacker, [{ ...view, channel: '500', side: 'allow' }]);
  expect(overwritesOf(world.state).c501).toEqual(['@everyone +1024 -0']);
  const { state } = (await createRepairs(true, { saved })(world, [begin])).world;
  expect(overwritesOf(state)).toEqual(overwritesOf(begin));
});

test('however often a category is changed, each of its channels is undone by few acts', async () => {
  const world = createFollowingWorld(true);
  const set = (isSet: boolean) => ({ ...view, channel: '500', side: 'allow' as const, isSet });
  for (let nth = 0; nth < 50; nth++) await world.act(people.attacker, [set(true), set(false)]);
  const { state, told } = world;
  const seen = { backup: snapshotOf(followingGuild()), current: state, heard: told.heard };
  const acts = await withFollowed(told.log, { ...seen, hasGap: false });
  expect(acts.length - told.log.length).toBeLessThan(10);
});
