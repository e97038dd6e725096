import type { Queryable } from '../../../../db/connect.ts';
import type { AuditAction } from '../../../../platform/gateway/events.ts';
import type { Act } from '../../../restores/undo/atoms.ts';
import { type Places, placesOf } from '../../../restores/undo/places.ts';
import { scopeOf, type UndoScope } from '../../../restores/undo/scope.ts';
import { listExecutorStates } from '../../queries/course.ts';
import { listAttackTimes, listMovesSinceBackup } from '../../queries/moves.ts';
import { listActsToUndo } from '../../queries/repair.ts';

type Incident = { accountId: string; incidentId: string; serverId: string; backupId: string };

/** What of an incident is left to be undone, by what was done in the guild since. */
export const readUndoScope = async (db: Queryable, incident: Incident): Promise<UndoScope> => {
  const rows = await listActsToUndo(db, incident);
  const executors = await listExecutorStates(db, incident.incidentId);
  const scope = scopeOf(
    rows.map(toAct),
    executors.map(({ platformId }) => platformId),
  );
  const places = await readPlaces(db, incident);
  return places ? { ...scope, places } : scope;
};

const readPlaces = async (db: Queryable, incident: Incident): Promise<Places | undefined> => {
  const heard = await listMovesSinceBackup(db, incident);
  if (!heard || heard.moves.length === 0) return undefined;
  return placesOf(heard, await listAttackTimes(db, incident), incident.incidentId);
};

const toAct = ({
  action,
  targetId,
  before,
  after,
  options,
  ...sides
}: Awaited<ReturnType<typeof listActsToUndo>>[number]): Act => {
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const { subjectId, subjectKind = 'role', membersRemoved } = options;
  return {
    ...{ ...sides, targetId, removed: membersRemoved },
    // It is stored as it was translated; what is unknown is nothing to undo.
    action: action as AuditAction,
    ...(subjectId !== undefined && { subject: { id: subjectId, kind: subjectKind } }),
    changes: [...keys].map((key) => ({
      ...{ key, before: before?.[key] ?? null, after: after?.[key] ?? null },
    })),
  };
};
