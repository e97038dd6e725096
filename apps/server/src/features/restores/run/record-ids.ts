import type { Transaction } from '../../../db/connect.ts';
import { recordRestoredIds } from '../../servers/restored-ids/queries.ts';
import { restoredSorts } from '../../servers/table.ts';
import type { Action } from '../plan/action.ts';
import { type IdMap, sortCreatedBy } from '../plan/id-map.ts';
import type { RestoreRun } from './restore-run.ts';

type Target = Pick<RestoreRun, 'restore' | 'guildId'>;

const rowOf = ({ restore, guildId }: Target) => ({
  accountId: restore.accountId,
  serverId: restore.serverId,
  guildId,
  restoreId: restore.id,
});

/** In the transaction that ends the step: what is made and what is known of it never differ. */
export const recordCreatedId = async (
  tx: Transaction,
  target: Target,
  action: Action,
  createdId: string | undefined,
): Promise<void> => {
  const sort = sortCreatedBy(action);
  if (createdId === undefined || !sort || !('oldId' in action)) return;
  const { oldId } = action;
  await recordRestoredIds(tx, [
    { ...rowOf(target), sort, oldId, newId: createdId, isCreated: true },
  ]);
};

/** What was there under another id and stays as the backup's. */
export const recordMatchedIds = (tx: Transaction, target: Target, map: IdMap): Promise<void> => {
  const rows = restoredSorts.flatMap((sort) =>
    Object.entries(map[sort])
      .filter(([oldId, newId]) => oldId !== newId)
      .map(([oldId, newId]) => ({ ...rowOf(target), sort, oldId, newId, isCreated: false })),
  );
  return recordRestoredIds(tx, rows);
};
