import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  BOT,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
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
import { withFollowed } from './followed.ts';
import { findLiveIds } from './live-ids.ts';
import { liveUndo } from './live-undo.ts';
import { planSteps } from './plan-undo.ts';
import { scopeOf } from './scope.ts';
import { undoComponents } from './wanted-guild.ts';

type World = ReturnType<typeof createFollowingWorld>;

/** Repairs as the service does; what it did is in the log afterwards. */
const createRepairs = (syncs: boolean, begin: TestGuild) => {
  const given = createGivenIds();
  let repairs = 1n;
  return async ({ state, told }: World) => {
    const current = { ...structuredClone(state), ownerId: String(10n ** 18n * ++repairs) };
    const backup = snapshotOf(followingGuild());
    const acts = withFollowed(told.log, { backup, current, heard: told.heard, hasGap: false });
    const scope = scopeOf(acts, attackers);
    const input = liveUndo(await findLiveIds(given, { scope, backup, current }));
    const plan = planSteps(input, { bot: BOT, components: undoComponents(scope) });
    const ran = await runCalls(plan, current, syncs, (before, after) => {
      told.note(before, after, BOT.userId);
      expect(findGiven(after, begin, current)).toEqual([]);
    });
    given.record(plan.steps, ran.idMap);
    return { plan, world: createFollowingWorld(syncs, ran.state, told) };
  };
};

const options = { numRuns: Number(process.env.RUNS ?? 200), seed: 20_261_119 };

test('nobody may do more after a repair than when the attack began, whichever channels followed a category', async () => {
  await fc.assert(
    fc.asyncProperty(followingHistory(), fc.boolean(), async (history, syncs) => {
      const world = createFollowingWorld(syncs);
      await world.act(people.honest, history.between);
      const begin = structuredClone(world.state);
      await world.act(people.attacker, history.attack);
      const repair = createRepairs(syncs, begin);
      const { world: repaired } = await repair(world);
      expect(findGiven(repaired.state, begin)).toEqual([]);
      await repaired.act(people.attacker, history.again);
      expect(findGiven((await repair(repaired)).world.state, begin)).toEqual([]);
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
  const isTold = (op: Parameters<typeof gives>[0]) => gives(op) !== syncs;
  test(`where ${where}, each channel is after a repair as it was when the attack began`, async () => {
    await fc.assert(
      fc.asyncProperty(followingHistory(isTold), async ({ between, attack }) => {
        const world = createFollowingWorld(syncs);
        await world.act(people.honest, between);
        const begin = structuredClone(world.state);
        await world.act(people.attacker, attack);
        const repair = createRepairs(syncs, begin);
        const { world: repaired } = await repair(world);
        expect(overwritesOf(repaired.state)).toEqual(overwritesOf(begin));
        expect((await repair(repaired)).plan.steps).toEqual([]);
      }),
      options,
    );
  }, 600_000);
}
