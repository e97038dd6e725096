import { hasScope, type keyEndpoints } from '@holdfast/contract';
import { afterCommit, type Transaction } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import type { Clock } from '../../kernel/clock.ts';
import { forbidden, invalidField, missingScope, notFound } from '../../kernel/errors.ts';
import { lockAccount } from '../accounts/queries.ts';
import { recordAudit } from '../audit/queries.ts';
import { createApiKey, hasRoomForKey, listKeys, revokeOwnKey } from './queries.ts';
import { tooManyKeys } from './rules.ts';

type Dependencies = {
  clock: Clock;
  /** Removes a revoked key from this process's cache. */
  forgetKey(hash: string): void;
};

export const keyHandlers = ({ clock, forgetKey }: Dependencies): Handlers<typeof keyEndpoints> => ({
  listKeys: (db, { account, query }) => listKeys(db, account.accountId, query),

  async createKey(tx, { account, actor, caller, body }) {
    const { name, scopes, expiresAt = null } = body;
    if (expiresAt && expiresAt <= clock.now()) {
      throw invalidField('expiresAt', 'Must be in the future');
    }
    const beyond = scopes.find((scope) => !hasScope(caller.scopes, scope));
    if (beyond) throw missingScope(beyond, caller.scopes);
    if (caller.expiresAt && (expiresAt === null || expiresAt > caller.expiresAt)) {
      throw forbidden('A key that expires cannot mint one that lives longer');
    }
    await requireKeyAllowed(tx, account.accountId);
    return createApiKey(tx, account.accountId, actor, { name, scopes, expiresAt });
  },

  async deleteKey(tx, { account, actor, caller, params }) {
    const revoked = await revokeOwnKey(tx, params.id, account.accountId);
    if (!revoked) throw notFound('Key');
    // Throwing rolls the revocation back. Every key may revoke itself.
    const beyond = revoked.scopes.find((scope) => !hasScope(caller.scopes, scope));
    if (beyond && revoked.id !== caller.id) throw missingScope(beyond, caller.scopes);
    await recordAudit(tx, {
      accountId: account.accountId,
      actor,
      action: 'key.revoke',
      subject: { type: 'key', id: revoked.id },
    });
    afterCommit(tx, () => forgetKey(revoked.hash));
    return { id: revoked.id, deleted: true };
  },
});

/** Counted under the account's lock. The operator's command has no limit. */
const requireKeyAllowed = async (tx: Transaction, accountId: string): Promise<void> => {
  await lockAccount(tx, accountId);
  if (!(await hasRoomForKey(tx, accountId))) throw forbidden(tooManyKeys);
};
