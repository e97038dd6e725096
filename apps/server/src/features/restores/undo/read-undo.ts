import type { Queryable } from '../../../db/connect.ts';
import type { IsErased } from '../../backups/erasure/redact-text.ts';
import { countReachable } from '../queries/reachable.ts';
import { findLiveIds, givenIdsOf } from './live-ids.ts';
import type { UndoThings } from './live-undo.ts';
import type { PeopleGone } from './plan-undo.ts';
import { withoutErased } from './redact-scope.ts';
import type { UndoInput } from './scope.ts';

/** What an undo is planned from, and checked against, at this moment. */
export const readUndo = (
  db: Queryable,
  accountId: string,
  input: UndoInput,
  isErased: IsErased,
): Promise<UndoThings> =>
  findLiveIds(givenIdsOf(db, accountId), {
    ...input,
    scope: withoutErased(input.scope, isErased),
  });

/** Whom the attackers put out and no restore brings back. */
export const countGone = async (
  db: Queryable,
  server: { accountId: string; serverId: string },
  { scope, current }: UndoThings,
): Promise<PeopleGone> => {
  const members = new Set(current.members?.map(({ userId }) => userId));
  const gone = scope.removed.filter((userId) => !members.has(userId));
  return {
    count: gone.length + (scope.pruned ?? 0),
    reachable: await countReachable(db, server, gone),
  };
};
