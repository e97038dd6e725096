import type { BackupComponent, DashboardEndpoints, restoreEndpoints } from '@holdfast/contract';
import type { Database, Queryable, Transaction } from '../../db/connect.ts';
import type { Actor, EarlyRequest, Handlers, OwnedServer } from '../../http/handler.ts';
import { conflict, invalidField, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queue } from '../../queue/queue.ts';
import { raiseAlert } from '../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../audit/queries.ts';
import { type BackupOwner, findBackup, holdBackup } from '../backups/queries.ts';
import { findKeyName } from '../keys/queries.ts';
import { mayConfirmPower } from '../servers/power/confirm-power.ts';
import { findOwnedServer } from '../servers/queries.ts';
import { runRepair, runRestore } from './jobs.ts';
import { countPostsOf } from './queries/posts.ts';
import { countStages, listRestores, listSourceBackups } from './queries/progress.ts';
import {
  findRestore,
  insertRestore,
  type RestoreOwner,
  requestCancel,
} from './queries/restores.ts';
import { findWebhooksShownAt, listCreatedWebhooks, markWebhooksShown } from './queries/webhooks.ts';
import { restorable } from './rules.ts';
import type { CompareBackups } from './run/compare.ts';
import { describeRestore } from './run/describe-restore.ts';
import type { PreviewRestore } from './run/preview.ts';
import type { ReadWebhookAddresses } from './run/webhook-addresses.ts';

type RouteDependencies = {
  queue: Pick<Queue, 'enqueue'>;
  preview: PreviewRestore;
  compare: CompareBackups;
};

export const restoreHandlers = ({
  queue,
  preview,
  compare,
}: RouteDependencies): Handlers<typeof restoreEndpoints> => ({
  planRestore: {
    async askFirst(db, { account, actor, caller, params, body }) {
      const { targetServerId: targetId = params.id, components, mode, deleteExtra } = body;
      const { accountId } = account;
      const { id: serverId, backupId } = params;
      const result = await preview(db, {
        ...{ accountId, serverId, backupId, targetId, components, mode, deleteExtra },
        mayGivePower: mayConfirmPower(actor, caller),
      });
      return async (tx, { server }) => {
        await checkRequest(tx, { account, params, body }, server);
        if (!result) throw notFound('Backup');
        if ('failure' in result) throw conflict(result.failure);
        return { backupId, serverId: targetId, ...result };
      };
    },
  },

  async compareBackup(db, { account: { accountId }, server, params: { backupId }, query }) {
    const backup = await findCompleted(db, { accountId, backupId });
    if (backup.serverId !== server.id) throw notFound('Backup');
    const result =
      query.with === 'live'
        ? await preview(db, {
            ...{ accountId, serverId: server.id, targetId: server.id, backupId },
            ...{ mode: 'REPAIR', deleteExtra: true, isComparison: true },
          })
        : await compare(db, backup, await findCompleted(db, { accountId, backupId: query.with }));
    if (!result) throw notFound('Backup');
    if ('failure' in result) throw conflict(result.failure);
    return { backupId, serverId: server.id, ...result };
  },

  async restoreBackup(tx, { account, actor, caller, server, params, body }) {
    const { accountId } = account;
    const request = await checkRequest(tx, { account, params, body }, server);
    const { backupId, targetId, components } = request;
    const { mode, deleteExtra } = body;
    const restore = await insertRestore(tx, {
      ...{ id: newId(), accountId, serverId: targetId, components },
      ...{ backupId, heldBackupId: backupId, mode, deleteExtra },
      askedBy: {
        keyId: actor.type === 'KEY' ? actor.id : null,
        mayGivePower: mayConfirmPower(actor, caller),
      },
    });
    if (!restore) throw conflict('A restore of this server is under way');
    await queue.enqueue(tx, runRestore, { restoreId: restore.id, accountId });
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'restore.create',
      subject: { type: 'restore', id: restore.id },
      changes: { backupId, serverId: targetId, components, mode, deleteExtra },
    });
    return describeRestore(restore);
  },

  async getRestore(db, { account, params }) {
    const restore = await findRestore(db, { accountId: account.accountId, restoreId: params.id });
    if (!restore) throw notFound('Restore');
    return describeRestore(restore);
  },

  async cancelRestore(tx, { account, actor, params, requireCodeForChanges }) {
    const owner = { accountId: account.accountId, restoreId: params.id };
    const stored = await findRestore(tx, owner);
    if (!stored) throw notFound('Restore');
    requireCodeForChanges(stored);
    const restore = await requestCancel(tx, owner);
    if (!restore) throw conflict('This restore has ended already');
    // While it waits for the platform no worker has it, so one must be told.
    if (restore.resumesAt) {
      const job = restore.incidentId === null ? runRestore : runRepair;
      await queue.enqueue(tx, job, owner);
    }
    // Whoever repeats it stops nothing more.
    if (!stored.isCancelRequested) {
      await alertOfStoppedRepair(tx, { queue }, { ...stored, ...account }, actor);
    }
    await recordAudit(tx, {
      accountId: account.accountId,
      actor,
      action: 'restore.cancel',
      subject: { type: 'restore', id: restore.id },
      changes: { serverId: restore.serverId },
    });
    return describeRestore(restore);
  },
});

/** Only the owner should stop the repair of an attack: they hear of it whoever did. */
const alertOfStoppedRepair = async (
  tx: Transaction,
  dependencies: { queue: Pick<Queue, 'enqueue'> },
  repair: { id: string; accountId: string; serverId: string; incidentId: string | null },
  actor: Actor,
): Promise<void> => {
  const { id: stoppedRepairId, accountId, serverId, incidentId } = repair;
  if (incidentId === null) return;
  const keyName = actor.type === 'KEY' ? await findKeyName(tx, accountId, actor.id) : null;
  const facts = { incidentId, stoppedRepairId, keyName: keyName ?? null };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
};

export const restoreDashboardHandlers = ({
  readWebhookAddresses,
}: {
  readWebhookAddresses: ReadWebhookAddresses;
}): Handlers<
  Pick<DashboardEndpoints, 'listRestores' | 'getRestoreCourse' | 'showWebhookAddresses'>
> => ({
  async listRestores(db, { server, query }) {
    const { rows, total } = await listRestores(db, server, query);
    return { rows: rows.map(describeRestore), total };
  },

  async getRestoreCourse(db, { account: { accountId }, params }) {
    const owner = { accountId, restoreId: params.id };
    const restore = await findRestore(db, owner);
    if (!restore) throw notFound('Restore');
    const { components, backupId, safetyBackupId } = restore;
    const ids = safetyBackupId ? [backupId, safetyBackupId] : [backupId];
    const sources = await listSourceBackups(db, accountId, ids);
    return {
      components,
      stages: await listStages(db, owner),
      backup: sources.find(({ id }) => id === backupId) ?? null,
      safetyBackup: sources.find(({ id }) => id === safetyBackupId) ?? null,
      newWebhooks: {
        count: (await listCreatedWebhooks(db, owner)).length,
        shownAt: await findWebhooksShownAt(db, owner),
      },
    };
  },

  showWebhookAddresses: {
    async askFirst(db, { account: { accountId }, params }) {
      const owner = { accountId, restoreId: params.id };
      const addresses = await readWebhookAddresses(db, owner);
      return async (tx, { actor }) => {
        if (!addresses) throw notFound('Restore');
        if ('failure' in addresses) throw conflict(addresses.failure);
        if (addresses.length === 0)
          throw conflict('This restore made no webhook that is still there');
        if (!(await markWebhooksShown(tx, owner))) {
          throw conflict('The addresses were shown already');
        }
        await recordAudit(tx, {
          accountId,
          actor,
          action: 'restore.show_webhooks',
          subject: { type: 'restore', id: params.id },
          changes: { webhooks: addresses.length },
        });
        return addresses;
      };
    },
  },
});

const findCompleted = async (db: Database, owner: BackupOwner) => {
  const backup = await findBackup(db, owner);
  if (!backup) throw notFound('Backup');
  if (backup.status !== 'completed') throw conflict('This backup is not completed');
  return backup;
};

/** Posting has a journal of its own, and comes after everything else. */
const listStages = async (db: Queryable, owner: RestoreOwner) => {
  const posts = await countPostsOf(db, owner);
  const stages = await countStages(db, owner);
  return posts.total === 0 ? stages : [...stages, { stage: 'messages' as const, ...posts }];
};

type RestoreRequest = Pick<
  EarlyRequest<(typeof restoreEndpoints)['restoreBackup']>,
  'account' | 'params' | 'body'
>;

/** Both the backup and the target must be the caller's, and the backup must hold the components. */
const checkRequest = async (
  tx: Transaction,
  { account, params, body }: RestoreRequest,
  server: OwnedServer,
): Promise<{ backupId: string; targetId: string; components: BackupComponent[] }> => {
  const backup = await holdBackup(tx, server, params.backupId);
  if (!backup) throw notFound('Backup');
  const targetId = body.targetServerId ?? server.id;
  const target = await findOwnedServer(tx, { accountId: account.accountId, serverId: targetId });
  if (!target) throw notFound('Server');
  if (backup.status !== 'completed') throw conflict('This backup is not completed');
  const components = body.components ?? restorable(backup.components);
  const missing = components.find((component) => !backup.components.includes(component));
  if (missing) throw invalidField('components', `The backup does not hold ${missing}`);
  if (components.length === 0) {
    throw invalidField('components', 'Name messages or threads: the backup holds nothing else');
  }
  return { backupId: backup.id, targetId, components };
};
