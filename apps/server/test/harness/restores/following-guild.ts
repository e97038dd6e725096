import fc from 'fast-check';
import { type IdMap, recordCreated } from '../../../src/features/restores/plan/id-map.ts';
import type { RestorePlan } from '../../../src/features/restores/plan/step.ts';
import { runStep } from '../../../src/features/restores/run/run-step.ts';
import type { Seen, TimedAct } from '../../../src/features/restores/undo/known-channels.ts';
import { createModelGuild } from '../../../src/features/restores/verify/model-guild.ts';
import type { Overwrite } from '../../../src/platform/guild.ts';
import { BOT, type TestGuild } from '../guilds/arbitrary-guild.ts';
import { newChannel, newRole } from '../guilds/parts.ts';
import { guildId, see, shut, smallGuild } from '../guilds/small-guild.ts';
import { attackers } from './attacked-guild.ts';
import { auditOfModel } from './audit-of-model.ts';
import { overwriteOf } from './peaceful-guild.ts';
import { loadBlank } from './run-on-model.ts';

/** A guild with categories whose channels follow them, and people who change who may see what. */

const [hold, deck, brig, honest] = ['500', '510', '530', '88'];
const categories = [hold, deck];
const crew = '211';

/** A closed category and an open one, each with channels that follow it and others. */
export const followingGuild = (): TestGuild => {
  const text = (id: string, parentId: string | null, overwrites: Overwrite[] = []) =>
    newChannel({ id, kind: 'text', name: `c${id}`, parentId, position: Number(id), overwrites });
  const member = (userId: string, ...roleIds: string[]) => ({
    ...{ userId, nick: null, roleIds, isBot: false },
  });
  const small = smallGuild();
  return {
    ...small,
    roles: [
      ...small.roles.map((one) => (one.id === '7700' ? { ...one, position: 5 } : one)),
      newRole({ id: crew, name: 'Crew', position: 3 }),
    ],
    channels: [
      newChannel({ id: hold, kind: 'category', name: 'Hold', overwrites: [shut] }),
      ...[text('501', hold, [shut]), text('502', hold, [shut]), text('504', hold)],
      text('503', hold, [shut, overwriteOf(crew, see)]),
      newChannel({ id: deck, kind: 'category', name: 'Deck', position: 1 }),
      ...[text('511', deck), text('512', deck), text('513', deck, [shut])],
      ...[text('520', null, [shut]), text('521', null)],
      newChannel({ id: brig, kind: 'category', name: 'Brig', position: 2, overwrites: [shut] }),
      text('531', brig, [shut]),
    ],
    members: [member('91', crew), member('92', '202'), member('93'), member('666')],
  };
};

const channel = fc.constantFrom('501', '502', '503', '504', '511', '512', '513', '520');
const category = fc.constantFrom(...categories);
const isSet = fc.boolean();
const overwriteOn = (where: fc.Arbitrary<string>, sides: ('allow' | 'deny')[]) =>
  fc.record({
    ...{ do: fc.constant('overwrite' as const), channel: where, isSet },
    ...{ role: fc.constantFrom(guildId, guildId, crew), side: fc.constantFrom(...sides) },
    bit: fc.constantFrom(10, 10, 11),
  });
const both = ['allow', 'deny'] as ('allow' | 'deny')[];

/** `gives`: whether somebody may do more by it. */
const ofCategory = overwriteOn(category, both);
type OverwriteOp = typeof ofCategory extends fc.Arbitrary<infer Of> ? Of : never;
export const gives = ({ side, isSet: is }: OverwriteOp): boolean => (side === 'allow') === is;

const ofChannel = fc.oneof(
  overwriteOn(channel, both),
  fc.record({
    ...{ do: fc.constant('move' as const), channel },
    to: fc.constantFrom(hold, deck, null),
  }),
);
const deletion = fc.oneof(
  fc.record({ do: fc.constant('delete' as const), channel: fc.oneof(channel, category) }),
  fc.record({ do: fc.constant('deleteRole' as const) }),
);
type Op =
  | OverwriteOp
  | (typeof ofChannel extends fc.Arbitrary<infer Of> ? Of : never)
  | (typeof deletion extends fc.Arbitrary<infer Of> ? Of : never);

const acts = (max: number, ...ops: fc.Arbitrary<Op>[]): fc.Arbitrary<Op[]> =>
  fc.array(fc.oneof(...ops), { maxLength: max });

/** Nobody else touches this category, so that the channel in it tells whether channels follow. */
const openBrig: Op = {
  ...{ do: 'overwrite', channel: brig, isSet: true, role: guildId, side: 'allow', bit: 10 },
};

/** What honest people do between the backup and the attack, and what attackers do. */
export const followingHistory = (isHonest: (op: OverwriteOp) => boolean = () => true) =>
  fc.record({
    between: acts(6, ofCategory.filter(isHonest), ofCategory.filter(isHonest), ofChannel),
    attack: acts(7, ofCategory, ofCategory, ofChannel, deletion).map((some) => [openBrig, ...some]),
    again: acts(4, ofCategory, ofChannel, deletion),
  });

/** Everything that is told of the guild: each call a minute after the last. */
const createTold = () => {
  const log: TimedAct[] = [];
  const heard: Seen['heard'][number][] = [];
  let minutes = 0;
  return {
    ...{ log, heard },
    note(before: TestGuild, after: TestGuild, by: string): void {
      const at = new Date(60_000 * ++minutes);
      const sides = { isAttack: attackers.includes(by), isOwn: by === BOT.userId };
      log.push(...entriesOf(before, after).map((entry) => ({ ...entry, ...sides, at })));
      heard.push(...movesBetween(before, after).map((move) => ({ ...move, at })));
    },
  };
};

/** What follows a category is not in the log. */
const entriesOf = (before: TestGuild, after: TestGuild) => {
  const entries = auditOfModel(before, after);
  const changed = new Set(
    entries.filter(({ action }) => action === 'overwriteChanged').map(({ targetId }) => targetId),
  );
  const parents = new Map(before.channels.map(({ id, parentId }) => [id, parentId]));
  return entries.filter(({ targetId }) => !changed.has(parents.get(targetId ?? '') ?? ''));
};

const movesBetween = (before: TestGuild, after: TestGuild) => {
  const parents = new Map(before.channels.map(({ id, parentId }) => [id, parentId]));
  return after.channels
    .filter(({ id, parentId }) => parents.has(id) && parents.get(id) !== parentId)
    .map(({ id, parentId }) => ({ id, parentId }));
};

export const createFollowingWorld = (
  syncs: boolean,
  start = followingGuild(),
  told = createTold(),
) => {
  const guild = createModelGuild(start, { syncs });
  const { state } = guild;
  return {
    ...{ state, told },
    async act(by: string, ops: readonly Op[]): Promise<void> {
      for (const op of ops) {
        const before = structuredClone(state);
        await perform(guild, op);
        told.note(before, state, by);
      }
    },
  };
};

export const people = { honest, attacker: '666' };

/** Runs a plan, and looks at each of its calls. */
export const runCalls = async (
  { steps, ...plan }: RestorePlan,
  target: TestGuild,
  syncs: boolean,
  onCall: (before: TestGuild, after: TestGuild) => void,
): Promise<{ state: TestGuild; idMap: IdMap }> => {
  const guild = createModelGuild(structuredClone(target), { syncs });
  let { idMap } = plan;
  for (const { action } of steps) {
    const before = structuredClone(guild.state);
    const { createdId } = await runStep(guild, action, idMap, loadBlank);
    idMap = recordCreated(idMap, action, createdId);
    onCall(before, guild.state);
  }
  return { state: guild.state, idMap };
};

const perform = async (guild: ReturnType<typeof createModelGuild>, op: Op): Promise<void> => {
  const { channels, roles } = guild.state;
  if (op.do === 'deleteRole') {
    if (roles.some(({ id }) => id === crew)) await guild.deleteRole(crew);
    return;
  }
  const found = channels.find(({ id }) => id === op.channel);
  if (!found) return;
  if (op.do === 'delete') return guild.deleteChannel(found.id);
  if (op.do === 'move') {
    if (op.to !== null && !channels.some(({ id }) => id === op.to)) return;
    return void (await guild.editChannel(found.id, { parentId: op.to }));
  }
  if (!roles.some(({ id }) => id === op.role)) return;
  const own = found.overwrites.find(({ id }) => id === op.role) ?? overwriteOf(op.role, '0');
  const other = op.side === 'allow' ? ('deny' as const) : ('allow' as const);
  const bit = 1n << BigInt(op.bit);
  const set = (bits: string, is: boolean) => String(is ? BigInt(bits) | bit : BigInt(bits) & ~bit);
  // Nothing is allowed and denied at once.
  const changed = {
    ...{ ...own, [op.side]: set(own[op.side], op.isSet) },
    [other]: op.isSet ? set(own[other], false) : own[other],
  };
  const rest = found.overwrites.filter(({ id }) => id !== op.role);
  await guild.editChannel(found.id, { overwrites: [...rest, changed] });
};
