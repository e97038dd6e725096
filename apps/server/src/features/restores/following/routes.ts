import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../../http/handler.ts';
import { notFound } from '../../../kernel/errors.ts';
import { findRestore } from '../queries.ts';
import { recordOf } from '../routes.ts';
import { countStages, listRestores, listSources } from './queries.ts';

type FollowEndpoints = Pick<DashboardEndpoints, 'listRestores' | 'getRestoreCourse'>;

/** What a page shows beside one restore: those before it, and how it goes on. */
export const restoreFollowHandlers: Handlers<FollowEndpoints> = {
  async listRestores(db, { server, query }) {
    const { rows, total } = await listRestores(db, server, query);
    return { rows: rows.map(recordOf), total };
  },

  async getRestoreCourse(db, { account: { accountId }, params }) {
    const owner = { accountId, restoreId: params.id };
    const restore = await findRestore(db, owner);
    if (!restore) throw notFound('Restore');
    const { components, backupId, safetyBackupId } = restore;
    const ids = safetyBackupId ? [backupId, safetyBackupId] : [backupId];
    const sources = await listSources(db, accountId, ids);
    return {
      components,
      stages: await countStages(db, owner),
      backup: sources.find(({ id }) => id === backupId) ?? null,
      safetyBackup: sources.find(({ id }) => id === safetyBackupId) ?? null,
    };
  },
};
