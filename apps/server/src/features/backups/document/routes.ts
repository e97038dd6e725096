import type { communityEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../../http/handler.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { forbidden } from '../../../kernel/errors.ts';
import { recordAudit } from '../../audit/queries.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { createBackupWithinPlan } from '../capture/create-backup.ts';
import { StorageLimitReached } from '../objects/save-objects.ts';
import { deleteLater } from '../temporary/jobs.ts';
import { runImport } from './execute-import.ts';
import { type ImportDependencies, prepareImport } from './import-document.ts';
import { storePassing } from './passing-objects.ts';
import { readBackupDocument, readBackupImages } from './read-structure.ts';

/** A backup as a document, and a document as a backup. */
export const communityHandlers = ({
  clock,
  ...dependencies
}: ImportDependencies & { clock: Clock }): Handlers<typeof communityEndpoints> => ({
  getBackupDocument: (_db, { server, params: { backupId }, query }) =>
    readBackupDocument(dependencies, { server, backupId }, query.people === 'true'),

  getBackupImages: (_db, { server, params: { backupId }, query }) =>
    readBackupImages(dependencies, { server, backupId }, query.after),

  storeBackupPiece: {
    async askFirst(db, { account: { accountId, limits }, params, body }) {
      const bytes = Buffer.from(body.data, 'base64');
      const isOwn = await findOwnedServer(db, { accountId, serverId: params.id });
      const owner = { accountId, limitBytes: limits.maxStorageBytes };
      const stored = isOwn
        ? await storePassing(dependencies, owner, bytes).catch(asRefusal)
        : undefined;
      return async (tx, { actor }) => {
        if (stored instanceof Error) throw stored;
        const piece = { sha256: stored?.hash ?? '', sizeBytes: bytes.length };
        await recordAudit(tx, {
          accountId,
          actor,
          action: 'backup.store_piece',
          subject: { type: 'server', id: params.id },
          changes: piece,
        });
        return piece;
      };
    },
  },

  importBackup: {
    async askFirst(db, { account, params, body }) {
      const { accountId, limits } = account;
      const { temporary: isTemporary, ...given } = body;
      const { name = `Document ${clock.now().toISOString()}` } = given;
      const owner = { accountId, serverId: params.id, limitBytes: limits.maxStorageBytes };
      const prepared = await prepareImport(dependencies, db, { ...owner, ...given });
      return async (tx, { actor, server }) => {
        if ('refusal' in prepared) throw prepared.refusal;
        const { components, draft } = prepared;
        const backup = await createBackupWithinPlan(tx, {
          ...{ account, server, kind: 'MANUAL', name, components, isTemporary },
        });
        if (isTemporary) {
          await deleteLater(tx, dependencies.queue, { accountId, backupId: backup.id });
        }
        const payload = {
          ...{ backupId: backup.id, accountId },
          ...{ draftHash: draft.hash, holderId: draft.holderId },
        };
        await dependencies.queue.enqueue(tx, runImport, payload);
        await recordAudit(tx, {
          accountId,
          actor,
          action: 'backup.create',
          subject: { type: 'backup', id: backup.id },
          changes: { serverId: server.id, name, components, isImported: true },
        });
        return backup;
      };
    },
  },
});

const asRefusal = (error: unknown): Error => {
  if (error instanceof StorageLimitReached) return forbidden(error.message);
  throw error;
};
