import type { Queryable } from '../../../../db/connect.ts';
import { timeOfEntry } from '../../../../platform/audit-log.ts';
import type { AuditAction, AuditLogEntry } from '../../../../platform/gateway/events.ts';
import { findBackup, savedAtOf } from '../../../backups/queries.ts';
import type { CompleteScope } from '../../../restores/run/restore-run.ts';
import { withFollowed } from '../../../restores/undo/followed.ts';
import type { Seen, TimedAct } from '../../../restores/undo/known-channels.ts';
import { placesOf } from '../../../restores/undo/places.ts';
import { scopeOf, type UndoScope } from '../../../restores/undo/scope.ts';
import { readTime } from '../../../servers/queries.ts';
import { listExecutorStates } from '../../queries/course.ts';
import { listAttackTimes, listMovesSinceBackup } from '../../queries/moves.ts';
import { listActsToUndo } from '../../queries/repair.ts';
import { type History, readHistory } from './read-history.ts';

type Incident = { accountId: string; incidentId: string; serverId: string; backupId: string };

/** What of an incident is left to be undone, by what is stored of what was done in the guild since. */
export const readUndoScope = async (db: Queryable, incident: Incident): Promise<UndoScope> =>
  scopeBy(db, incident, await listActsToUndo(db, incident));

/**
 * The same by the guild's audit log since the backup. What is stored begins with the attack: what honest
 * people have changed between the backup and the attack is known from the log alone.
 */
export const completeUndoScope: CompleteScope = async (
  db,
  incident,
  { guild, botUserId, backup, readCurrent, isQuick = false },
) => {
  const saved = await findBackup(db, incident);
  const stored = await listActsToUndo(db, incident);
  if (!saved) return scopeBy(db, incident, stored);
  const since = savedAtOf(saved);
  const history = await readHistory(guild, { since, now: await readTime(db), isQuick });
  const hasGap = history.from > since;
  const acts = withHistory(stored, history, { since, botUserId });
  const scope = await scopeBy(db, incident, acts, { backup, current: await readCurrent(), hasGap });
  if (!hasGap) return scope;
  // Since then others were heard as well as the attackers.
  const attack = stored.find(({ isAttack }) => isAttack)?.at ?? history.from;
  const until = new Date(Math.min(history.from.getTime(), attack.getTime()));
  return { ...scope, unknown: { from: since.toISOString(), until: until.toISOString() } };
};

const scopeBy = async (
  db: Queryable,
  incident: Incident,
  stored: readonly StoredAct[],
  seen?: Omit<Seen, 'heard'>,
): Promise<UndoScope> => {
  const executors = await listExecutorStates(db, incident.incidentId);
  const heard = await listMovesSinceBackup(db, incident);
  const acts = stored.map(toAct);
  const scope = await scopeOf(
    seen ? await withFollowed(acts, { ...seen, heard: heard?.moves ?? [] }) : acts,
    executors.map(({ platformId }) => platformId),
  );
  if (!heard || heard.moves.length === 0) return scope;
  const attacks = await listAttackTimes(db, incident);
  const places = placesOf(heard, attacks, incident.incidentId);
  return places ? { ...scope, places } : scope;
};

type StoredAct = Awaited<ReturnType<typeof listActsToUndo>>[number];

/** Whose part an entry is in an attack is stored; of all others only whether our own bot did it. */
const withHistory = (
  stored: readonly StoredAct[],
  { entries }: History,
  { since, botUserId }: { since: Date; botUserId: string },
): StoredAct[] => {
  const known = new Set(stored.map(({ entryId }) => entryId));
  const others = entries
    .filter(({ entryId }) => !known.has(entryId) && timeOfEntry(entryId) >= since.getTime())
    .map((entry) => actOf(entry, botUserId));
  const own = stored.map((act) => ({ ...act, isOwn: act.executorId === botUserId }));
  return [...own, ...others].sort(byTime);
};

const actOf = (entry: AuditLogEntry, botUserId: string): StoredAct => {
  const { entryId, executorId, action, targetId, changes, options } = entry;
  const valuesOf = (half: 'before' | 'after') =>
    Object.fromEntries(changes.map((change) => [change.key, change[half]]));
  return {
    entryId,
    at: new Date(timeOfEntry(entryId)),
    executorId: executorId ?? '',
    action,
    targetId,
    before: valuesOf('before'),
    after: valuesOf('after'),
    options,
    isAttack: false,
    isOtherAttack: false,
    isOwn: executorId === botUserId,
  };
};

const byTime = (one: StoredAct, other: StoredAct): number =>
  one.at.getTime() - other.at.getTime() ||
  one.entryId.length - other.entryId.length ||
  (one.entryId < other.entryId ? -1 : 1);

const toAct = ({ action, targetId, before, after, options, at, ...by }: StoredAct): TimedAct => {
  const { executorId, isAttack, isOtherAttack, isOwn } = by;
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const { subjectId, subjectKind = 'role', membersRemoved } = options;
  return {
    at,
    isAttack,
    isOtherAttack,
    isOwn,
    isSelf: targetId !== null && executorId === targetId,
    targetId,
    removed: membersRemoved,
    // It is stored as it was translated; what is unknown is nothing to undo.
    action: action as AuditAction,
    ...(subjectId !== undefined && { subject: { id: subjectId, kind: subjectKind } }),
    changes: [...keys].map((key) => ({
      ...{ key, before: before?.[key] ?? null, after: after?.[key] ?? null },
    })),
  };
};
