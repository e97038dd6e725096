import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Queue } from '../../../queue/queue.ts';
import { holdAccount } from '../../accounts/queries.ts';
import { deliverAlerts } from '../jobs.ts';
import { insertAlert } from '../queries/alerts.ts';
import { findSettings } from '../queries/settings.ts';
import { isAlwaysTold, type NewAlert } from '../rules.ts';

/**
 * Raises an alert in the transaction of what caused it: both are committed, or neither. A cause that can
 * be reported twice, such as the end of a job, raises it only where its own statement changed a row.
 * Call it before `recordAudit`, which comes last. For a deleted account nothing is raised.
 *
 *     await raiseAlert(tx, dependencies, {
 *       accountId, serverId, kind: 'BACKUP_FAILED', facts: { backupId, error } });
 */
export const raiseAlert = async (
  tx: Transaction,
  { queue }: { queue: Pick<Queue, 'enqueue'> },
  { accountId, serverId, kind, facts }: NewAlert,
): Promise<void> => {
  if (!(await holdAccount(tx, accountId))) return;
  const { email, channel, dashboard } = (await findSettings(tx, accountId))[kind];
  const isAlways = isAlwaysTold(facts);
  // Only a server has a log channel.
  const ways = { email: email || isAlways, channel: channel && serverId !== null };
  await insertAlert(tx, {
    ...{ id: newId(), accountId, serverId, kind, facts },
    ...{ isListed: dashboard || isAlways, isAlwaysTold: isAlways },
    ...{ isMailWaiting: ways.email, isPostWaiting: ways.channel },
  });
  const group = { accountId, serverId, kind, isFollowUp: false };
  if (ways.email) await queue.enqueue(tx, deliverAlerts, { ...group, way: 'email' });
  if (ways.channel) await queue.enqueue(tx, deliverAlerts, { ...group, way: 'channel' });
};
