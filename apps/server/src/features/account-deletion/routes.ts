import type { accountEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { type DeletionTools, deleteAccount } from './delete-account.ts';

export const accountDeletionHandlers = (
  tools: DeletionTools,
): Handlers<Pick<typeof accountEndpoints, 'deleteAccount'>> => ({
  async deleteAccount(tx, { account: { accountId }, actor, body: { confirm } }) {
    await deleteAccount(tx, tools, { accountId, confirm, actor });
    return { id: accountId, deleted: true };
  },
});
