import { giveWay, mapInTurns } from '../../../kernel/turns.ts';
import type { AuditAction } from '../../../platform/gateway/events.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { Note } from '../plan/note.ts';
import type { GuildState } from '../plan/step.ts';
import { type Act, atomsOf, madeForRoles } from './atoms.ts';
import {
  dropSupposedGains,
  type FieldBefore,
  type FieldSet,
  fateOf,
  fieldsAtAttack,
  follow,
  type History,
  honestFields,
  isDeletedByOtherAttack,
  isMadeByHonest,
  isMadeByUs,
  loseOverwrites,
  loseRoles,
  replaces,
  type Thing,
  typeAndName,
  undoneFields,
} from './history.ts';
import type { Places } from './places.ts';
import { withSelfGiven } from './self-given.ts';
import type { ThingType } from './set-atoms.ts';
import { type LostCode, lostBy } from './treatments.ts';

/**
 * What an undo may touch, and nothing else: the things that attackers made, deleted and changed, each
 * field with the value it had before them. It is stored with the restore.
 */
export type UndoScope = {
  executors: string[];
  /**
   * To be made again. `last` is what the log knows of the thing when it was deleted, `byHand` the id of
   * what an honest person has made in its place since: that stays as it is.
   */
  deleted: (Thing & { last: Record<string, unknown>; byHand?: string })[];
  /** To be deleted. A ban is a thing that is lifted. */
  created: (Thing & { name: string | null; isEditedByOthers: boolean })[];
  /** Also of deleted things, whose last state the attackers may have changed before. */
  changed: (Thing & { fields: FieldBefore[] })[];
  /**
   * What others set since the backup in what is made again, of roles and channels that are made again, and in
   * what there is one of: the backup is older than that. Questions of the onboarding are those that it had
   * when the attack began, null where the log does not tell them.
   */
  honest?: (Thing & { fields: FieldSet[] })[];
  /** Roles that another attack deleted: a channel that is made again may have lost with them what it said of them. */
  lostRoles?: string[];
  /** What honest people deleted: it does not come back with the channel that it was in. */
  gone?: Thing[];
  /** People whom others have put out since the backup: what they had in it they lost by that. */
  left?: string[];
  /** Absent where all is known that was done since the backup: else nothing in it is given to anybody. */
  unknown?: { from: string; until: string };
  /** People whom they kicked or banned: no restore brings them back. */
  removed: string[];
  /** How many more went by prunes, of whom the log names nobody. */
  pruned?: number;
  /** A restore kicks nobody: they are named. */
  addedBots: string[];
  /** What else is not brought back. */
  lost?: LostCode[];
  /** Absent where nothing was moved, as far as it was heard. */
  places?: Places;
};

/** All ids are those of the guild: of things that live there, or that lived there. */
export type UndoInput = {
  scope: UndoScope;
  backup: Snapshot;
  current: GuildState;
  /** What the backup has and is given to nobody; see `withhold`. */
  withheld?: Note[];
};

/**
 * A field goes back to what it was before the attackers, unless somebody else has set it since. So of
 * each field only the last changes count that are all theirs. Permissions, overwrites and roles of members
 * are fields bit by bit: an honest change to one leaves an attacker's change to another to be undone. In turns:
 * the bits of 20,000 acts are millions.
 */
export const scopeOf = async (
  given: readonly Act[],
  executors: readonly string[],
): Promise<UndoScope> => {
  const isAttacker = new Set(executors);
  const acts = withSelfGiven(given);
  const { histories, left } = await followAll(acts);
  const fates = await mapInTurns(histories, (history) => ({ ...history, fate: fateOf(history) }));
  const theirs = acts.filter(({ isAttack }) => isAttack);
  const targetsOf = (...actions: AuditAction[]) => [
    ...new Set(
      theirs.flatMap(({ action, targetId }) =>
        targetId !== null && actions.includes(action) && !isAttacker.has(targetId) ? targetId : [],
      ),
    ),
  ];
  const deleted = await pairReplaced(
    fates.filter(({ fate, type }) => fate === 'deleted' && type !== 'invite'),
    fates,
  );
  const changed = await mapInTurns(
    fates.filter(({ fate }) => fate === 'deleted' || fate === 'kept'),
    ({ fate, ...history }) => {
      const fields = undoneFields(history, { isWhole: fate === 'deleted' });
      return { type: history.type, id: history.id, fields };
    },
  );
  return {
    executors: [...executors],
    deleted,
    created: fates
      .filter(({ fate, type, id }) => fate === 'created' && !(type === 'ban' && isAttacker.has(id)))
      .map(({ type, id, last, isEditedByOthers }) => {
        const name = typeof last.name === 'string' ? last.name : null;
        return { type, id, name, isEditedByOthers };
      }),
    changed: changed.filter(({ fields }) => fields.length > 0),
    honest: (await mapInTurns(fates, keptBeside(fates, deleted))).flat(),
    left,
    lostRoles: fates.flatMap((one) =>
      one.type === 'role' && isDeletedByOtherAttack(one) ? one.id : [],
    ),
    gone: fates
      .filter(({ fate, type }) => fate === 'gone' && (type === 'webhook' || type === 'event'))
      .map(({ type, id }) => ({ type, id })),
    removed: targetsOf('memberKicked', 'memberBanned'),
    pruned: theirs.reduce((sum, { removed = 0 }) => sum + removed, 0),
    addedBots: targetsOf('botAdded'),
    lost: lostBy(
      theirs.flatMap(({ action, changes }) => [
        { action, key: null },
        ...changes.map(({ key }) => ({ action, key })),
      ]),
    ),
  };
};

const followAll = async (
  acts: readonly Act[],
): Promise<{ histories: History[]; left: string[] }> => {
  const things = new Map<string, History>();
  const begin = acts.findIndex(({ isAttack: isTheirs }) => isTheirs);
  const leftAt = new Map<string, number>();
  const lostRoles = rolesDeletedIn(acts);
  for (const [serial, act] of acts.entries()) {
    await giveWay();
    const when = { serial, isBefore: serial < begin };
    for (const atom of atomsOf(act)) follow(things, atom, act, when);
    for (const atom of madeForRoles(act, lostRoles)) follow(things, atom, act, when);
    if (!isHonestRemoval(act)) continue;
    leftAt.set(act.targetId, serial);
    loseRoles(things, act.targetId, when);
  }
  const histories = [...things.values()];
  for (const history of histories) {
    await giveWay();
    loseOverwrites(history, leftAt);
    dropSupposedGains(history);
  }
  return { histories, left: [...leftAt.keys()] };
};

/** Each of what honest people made stands for one of what was deleted. */
const pairReplaced = (
  deleted: readonly History[],
  all: readonly History[],
): Promise<UndoScope['deleted']> => {
  const made = Map.groupBy(all.filter(isMadeByHonest), typeAndName);
  return mapInTurns(deleted, (one) => {
    const name = typeAndName(one);
    const likely = (name !== undefined && made.get(name)) || [];
    const at = likely.findIndex((other) => replaces(other, one));
    const [stands] = at < 0 ? [] : likely.splice(at, 1);
    const { type, id, last } = one;
    return { type, id, last, ...(stands && { byHand: stands.id }) };
  });
};

const removals: ReadonlySet<AuditAction> = new Set(['memberKicked', 'memberBanned']);

const isHonestRemoval = (act: Act): act is Act & { targetId: string } =>
  act.targetId !== null && removals.has(act.action) && !act.isAttack && !act.isOtherAttack;

const rolesDeletedIn = (acts: readonly Act[]): Set<string> =>
  new Set(
    acts.flatMap(({ isAttack, action, targetId }) =>
      isAttack && action === 'roleDeleted' && targetId !== null ? targetId : [],
    ),
  );

type Fates = readonly (History & { fate: string })[];

const keptBeside = (fates: Fates, deleted: UndoScope['deleted']) => {
  const madeAgain = new Set(
    deleted.filter(({ byHand }) => byHand === undefined).map(({ type, id }) => `${type} ${id}`),
  );
  const named = fates.filter(({ type }) => type === 'role' || type === 'channel');
  const remade = new Set(
    named.filter((one) => one.fate !== 'kept' || isMadeByUs(one)).map(({ id }) => id),
  );
  const names = (key: string, isThem: (id: string) => boolean) => key.split('.').some(isThem);
  const lostRoles = new Set(deleted.flatMap(({ type, id }) => (type === 'role' ? id : [])));
  const isLost = (key: string) => names(key, (id) => lostRoles.has(id));
  return (history: History): NonNullable<UndoScope['honest']> => {
    const { type, id } = history;
    const isWhole =
      goWithChannel.has(type) || isMadeByUs(history) || madeAgain.has(`${type} ${id}`);
    const fields = singles.has(type)
      ? fieldsAtAttack(history)
      : honestFields(history, isLost).filter(
          ({ key }) => isWhole || names(key, (part) => remade.has(part)),
        );
    return fields.length > 0 ? [{ type, id, fields }] : [];
  };
};

/** They return as the backup has them. */
const goWithChannel: ReadonlySet<ThingType> = new Set(['webhook', 'event']);
/** There is one of each, which names what is deleted: it lost that without an entry. */
const singles: ReadonlySet<ThingType> = new Set(['settings', 'onboarding']);
