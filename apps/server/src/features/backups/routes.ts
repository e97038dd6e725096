import type {
  backupEndpoints,
  communityEndpoints,
  contentsEndpoints,
  DashboardEndpoints,
} from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import { violatedConstraint } from '../../db/failures.ts';
import { markUnchanged } from '../../http/audited.ts';
import type { Handlers } from '../../http/handler.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { lockServer, storeLastScheduled } from '../servers/queries.ts';
import { createBackupWithinPlan } from './capture/create-backup.ts';
import type { ContentsDependencies } from './contents/read-backup.ts';
import { readContents } from './contents/read-contents.ts';
import { readPart } from './contents/read-part.ts';
import { communityHandlers } from './document/routes.ts';
import { runBackup } from './jobs.ts';
import { releaseStorage } from './objects/jobs.ts';
import { readUsedStorageBytes } from './objects/queries.ts';
import { countChargedBackups, deleteBackup, findBackupOfServer, listBackups } from './queries.ts';
import { defaultComponents } from './rules.ts';
import { deleteLater } from './temporary/jobs.ts';

type Dependencies = ContentsDependencies & {
  queue: Pick<Queue, 'enqueue'>;
  clock: Clock;
  /** Judges the health of a server anew: without this backup another one may be the last good. */
  assessHealth(tx: Transaction, server: { accountId: string; serverId: string }): Promise<void>;
};

export const backupHandlers = ({
  queue,
  clock,
  assessHealth,
  ...dependencies
}: Dependencies): Handlers<
  typeof backupEndpoints & typeof contentsEndpoints & typeof communityEndpoints
> => ({
  ...communityHandlers({ queue, clock, ...dependencies }),

  listBackups: (db, { server, query }) => listBackups(db, server, query),

  async createBackup(tx, { account, actor, server, body }) {
    const { accountId } = account;
    const {
      name = `Backup ${clock.now().toISOString()}`,
      components = defaultComponents,
      messagesPerChannel,
      temporary: isTemporary,
    } = body;
    const backup = await createBackupWithinPlan(tx, {
      ...{ account, server, kind: 'MANUAL', name, components, messagesPerChannel, isTemporary },
    });
    if (isTemporary) await deleteLater(tx, queue, { accountId, backupId: backup.id });
    await queue.enqueue(tx, runBackup, { backupId: backup.id, accountId });
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'backup.create',
      subject: { type: 'backup', id: backup.id },
      changes: { serverId: server.id, name, components },
    });
    return backup;
  },

  async getBackup(db, { server, params }) {
    const backup = await findBackupOfServer(db, server, params.backupId);
    if (!backup) throw notFound('Backup');
    return backup;
  },

  async deleteBackup(tx, { account, actor, server, params }) {
    const { accountId } = account;
    const owner = { accountId, serverId: server.id };
    await lockServer(tx, owner);
    const backup = await deleteBackup(tx, server, params.backupId).catch((error) => {
      const constraint = violatedConstraint(error);
      throw constraint
        ? conflict(constraint.startsWith('restores_') ? readByRestore : forRepair)
        : error;
    });
    if (!backup) throw notFound('Backup');
    // It is looked up again, since the last one may be gone.
    if (backup.kind === 'SCHEDULED') await storeLastScheduled(tx, owner, null);
    await assessHealth(tx, owner);
    await queue.enqueue(tx, releaseStorage, { accountId });
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'backup.delete',
      subject: { type: 'backup', id: backup.id },
      changes: { serverId: server.id, name: backup.name, kind: backup.kind },
    });
    return { id: backup.id, deleted: true };
  },

  getBackupContents: (_db, { server, params }) =>
    readContents(dependencies, { server, backupId: params.backupId }),
});

const readByRestore = 'A restore is using this backup';
const forRepair =
  'An attack on the server is to be repaired from this backup: repair or dismiss the incident first';

export const backupDashboardHandlers = (
  dependencies: ContentsDependencies,
): Handlers<Pick<DashboardEndpoints, 'getBackupUsage' | 'downloadBackup'>> => ({
  getBackupUsage: async (db, { account: { accountId } }) => ({
    backups: await countChargedBackups(db, accountId),
    storageBytes: await readUsedStorageBytes(db, accountId),
  }),

  downloadBackup: {
    async askFirst(_db, { account: { accountId }, params: { id, backupId }, body }) {
      const part = await readPart(dependencies, { server: { id, accountId }, backupId }, body);
      return async (tx, { actor }) => {
        if (body.after !== undefined) markUnchanged(tx);
        else {
          await recordAudit(tx, {
            accountId,
            actor,
            action: 'backup.download',
            subject: { type: 'backup', id: backupId },
            changes: { serverId: id, withPeople: body.withPeople },
          });
        }
        return part;
      };
    },
  },
});
