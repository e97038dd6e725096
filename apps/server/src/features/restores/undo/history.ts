import { isDeepStrictEqual } from 'node:util';
import { channel, type Overwrite } from '../../../platform/guild.ts';
import type { Act, Atom } from './atoms.ts';
import type { ThingType } from './set-atoms.ts';

export type Thing = { type: ThingType; id: string };
type Value = unknown;
/**
 * `serial` is when it was changed last, in the order of the log: the same field may be known by several ids.
 * `isFollowed`: attackers changed it only by way of the channel's category.
 */
export type FieldBefore = {
  key: string;
  before: Value;
  serial?: number;
  isFollowed?: true | undefined;
};
export type FieldSet = { key: string; value: Value; serial?: number };

/** Those to be undone, those of another attack, our own bot, or anybody else. */
type Side = 'attack' | 'otherAttack' | 'own' | 'honest';
type Change = Pick<Act, 'followed'> & {
  before: Value;
  after: Value;
  by: Side;
  serial: number;
  isBefore: boolean;
};

/** What was done to one thing, field by field. */
export type History = Thing & {
  fields: Map<string, Change[]>;
  /** The newest that is known of it. */
  last: Record<string, Value>;
  isEditedByOthers: boolean;
};

const existence = 'exists';

const sideOf = ({ isAttack, isOtherAttack, isOwn }: Act): Side => {
  if (isAttack) return 'attack';
  if (isOtherAttack) return 'otherAttack';
  return isOwn ? 'own' : 'honest';
};

export const follow = (
  things: Map<string, History>,
  atom: Atom,
  act: Act,
  { serial, isBefore }: { serial: number; isBefore: boolean },
): void => {
  const { type, id } = atom;
  const history = things.get(`${type} ${id}`) ?? {
    ...{ type, id, fields: new Map<string, Change[]>(), last: {}, isEditedByOthers: false },
  };
  things.set(`${type} ${id}`, history);
  if ('told' in atom) {
    Object.assign(history.last, atom.told);
    return;
  }
  const { key = existence, before, after } = atom;
  const side = sideOf(act);
  if (side === 'honest' && !act.followed) history.isEditedByOthers = true;
  // What our own bot set before the attack is what there was when it began; what it set since is a repair's.
  const by = side === 'own' && isBefore && key !== existence ? 'honest' : side;
  const changes = history.fields.get(key) ?? [];
  changes.push({ before, after, by, serial, isBefore, followed: act.followed });
  history.fields.set(key, changes);
};

/** What is only supposed to have followed a category gives nobody anything. */
export const dropSupposedGains = ({ fields }: History): void => {
  for (const [key, changes] of fields) {
    const seen = changes.filter(({ followed }) => followed !== 'supposed');
    if (seen.length === changes.length) continue;
    const back = undone(changes, { isWhole: true });
    if (opens(key, back ? back.before : changes.at(-1)?.after)) fields.set(key, seen);
  }
};

/** Whether somebody may do more by this part of an overwrite. */
const opens = (key: string, value: Value): boolean => (value === true) === key.includes('.allow.');

/** Whoever is put out loses every role, of which the log says nothing. */
export const loseRoles = (
  things: Map<string, History>,
  userId: string,
  when: { serial: number; isBefore: boolean },
): void => {
  for (const [key, changes] of things.get(`member ${userId}`)?.fields ?? []) {
    const last = changes.at(-1);
    if (!key.startsWith('roleIds.') || !last) continue;
    // What attackers had taken before that does not come back either.
    if (last.after !== true && !isOfAttackers(last)) continue;
    changes.push({ before: last.after, after: false, by: 'honest', ...when });
  }
};

/** And what channels allowed them until then. `leftAt`: when each was put out last. */
export const loseOverwrites = (
  { type, fields, last: told }: History,
  leftAt: ReadonlyMap<string, number>,
): void => {
  if (type !== 'channel' || leftAt.size === 0) return;
  const hadLeft = (userId: string, serial: number) => serial < (leftAt.get(userId) ?? -1);
  for (const [key, changes] of fields) {
    const [, userId = ''] = /^overwrites\.member\.(\d+)\.allow\./.exec(key) ?? [];
    const last = changes.at(-1);
    if (!last || !hadLeft(userId, last.serial)) continue;
    changes.push({ ...last, before: last.after, after: false, by: 'honest', followed: undefined });
  }
  const overwrites = channel.shape.overwrites.safeParse(told.overwrites).data;
  const end = fields.get(existence)?.at(-1)?.serial ?? 0;
  if (overwrites) told.overwrites = withoutGains(overwrites, (userId) => hadLeft(userId, end));
};

/** What these people are denied stays. */
export const withoutGains = (
  overwrites: readonly Overwrite[],
  isOf: (userId: string) => boolean,
): Overwrite[] =>
  overwrites.flatMap((one) => {
    if (one.kind !== 'member' || !isOf(one.id)) return one;
    return one.deny === '0' ? [] : { ...one, allow: '0' };
  });

const isOfAttackers = ({ by }: Change): boolean => by === 'attack' || by === 'otherAttack';

/**
 * What the field was before the last changes that are all of attackers; undefined where nothing is to be
 * undone. Where only another attack changed it, that is left to the repair of that one, unless the whole
 * thing is brought back.
 */
const undone = (
  changes: readonly Change[] = [],
  { isWhole = false } = {},
): Pick<FieldBefore, 'before' | 'isFollowed'> | undefined => {
  const theirs = changes.slice(changes.findLastIndex((change) => !isOfAttackers(change)) + 1);
  const [first] = theirs;
  if (!first || isDeepStrictEqual(first.before, theirs.at(-1)?.after)) return undefined;
  const isOurs = isWhole || theirs.some(({ by }) => by === 'attack');
  if (!isOurs) return undefined;
  const isFollowed = theirs.every(({ followed }) => followed) || undefined;
  return { before: first.before, isFollowed };
};

export const fateOf = ({ fields }: History): 'created' | 'deleted' | 'kept' | 'gone' => {
  const changes = fields.get(existence);
  const back = undone(changes);
  if (back) return back.before === true ? 'deleted' : 'created';
  // Made and deleted by them, or deleted by somebody else.
  return changes && changes.at(-1)?.after === false ? 'gone' : 'kept';
};

export const undoneFields = ({ fields }: History, options: { isWhole: boolean }): FieldBefore[] =>
  [...fields].flatMap(([key, changes]) => {
    const back = key === existence ? undefined : undone(changes, options);
    return back ? [{ ...back, key, serial: changes.at(-1)?.serial }] : [];
  });

/**
 * What honest people set last, field by field, and where a repair has shut somebody out again for them. What
 * attackers did since counts only where something else is left of it, and not of what `isLost`: that went with
 * a role, so the log does not tell.
 */
export const honestFields = (
  { fields }: History,
  isLost: (key: string) => boolean = () => false,
): FieldSet[] =>
  [...fields].flatMap(([key, changes]) => {
    const at = changes.findLastIndex((change) => !isOfAttackers(change));
    const [settled, first] = [changes[at], changes[at + 1]];
    if (key === existence || !settled) return [];
    const isSame = !first || isDeepStrictEqual(first.before, changes.at(-1)?.after);
    if (!isSame && !isLost(key)) return [];
    const isShut =
      settled.by === 'own' && key.startsWith('overwrites.') && !opens(key, settled.after);
    return settled.by === 'honest' || isShut ? [fieldSet(key, settled)] : [];
  });

/** What others had set when the attack began, field by field. */
export const fieldsAtAttack = ({ fields }: History): FieldSet[] =>
  [...fields].flatMap(([key, changes]) => {
    const last = changes.findLast((change) => change.isBefore && !isOfAttackers(change));
    return key !== existence && last ? [fieldSet(key, last)] : [];
  });

const fieldSet = (key: string, { after: value, serial }: Change): FieldSet => ({
  key,
  value,
  serial,
});

const madeBy = ({ fields }: History): Change | undefined => {
  const [first] = fields.get(existence) ?? [];
  return first?.before === false ? first : undefined;
};

export const isMadeByUs = (history: History): boolean => madeBy(history)?.by === 'own';

export const isDeletedByOtherAttack = ({ fields }: History): boolean => {
  const last = fields.get(existence)?.at(-1);
  return last?.by === 'otherAttack' && last.after === false;
};

/** When it was last made or deleted, in the order of the log. */
const lastSerial = ({ fields }: History): number => fields.get(existence)?.at(-1)?.serial ?? 0;

/** Whether an honest person made it, and it is there. */
export const isMadeByHonest = (history: History): boolean =>
  madeBy(history)?.by === 'honest' && fateOf(history) === 'kept';

/** Whether it was made after one of the same name that was deleted, and of the same kind. */
export const replaces = (made: History, deleted: History): boolean =>
  isDeepStrictEqual(made.last.kind, deleted.last.kind) && lastSerial(made) > lastSerial(deleted);

/** Undefined for what has no name. */
export const typeAndName = ({ type, last: { name } }: History): string | undefined =>
  typeof name === 'string' ? `${type} ${name}` : undefined;
