import { accountBounds, holdsScope, type keyEndpoints } from '@holdfast/contract';
import { afterCommit, type Transaction } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import type { Clock } from '../../kernel/clock.ts';
import { invalidField, missingScope, notFound, planRefuses } from '../../kernel/errors.ts';
import { recordAudit } from '../audit/queries.ts';
import { lockUser } from '../accounts/queries.ts';
import { mintKeyFor } from './mint.ts';
import { countLiveKeys, listKeys, revokeOwnKey } from './queries.ts';

type Tools = { clock: Clock; forgetKey(hash: string): void };

export const keyHandlers = ({ clock, forgetKey }: Tools): Handlers<typeof keyEndpoints> => ({
  listKeys: (db, { account, query }) => listKeys(db, account.accountId, query),

  async createKey(tx, { account, actor, caller: { scopes: held, expiresAt: heldUntil }, body }) {
    const { name, scopes, expiresAt = null } = body;
    if (expiresAt && expiresAt <= clock.now()) {
      throw invalidField('expiresAt', 'Must be in the future');
    }
    const beyond = scopes.find((scope) => !holdsScope(held, scope));
    if (beyond) throw missingScope(beyond, held);
    if (heldUntil && (expiresAt === null || expiresAt > heldUntil)) {
      throw planRefuses('A key that expires cannot mint one that lives longer');
    }
    await requireRoomForKey(tx, account.accountId);
    return mintKeyFor(tx, account.accountId, actor, { name, scopes, expiresAt });
  },

  async deleteKey(tx, { account, actor, caller, params }) {
    const revoked = await revokeOwnKey(tx, params.id, account.accountId);
    if (!revoked) throw notFound('Key');
    // The refusal takes the revocation back with its transaction. Every key may revoke itself.
    const beyond = revoked.scopes.find((scope) => !holdsScope(caller.scopes, scope));
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

/** Counted under the account's lock. The operator's own command is not held to it. */
const requireRoomForKey = async (tx: Transaction, accountId: string): Promise<void> => {
  await lockUser(tx, accountId);
  const { liveKeys } = accountBounds;
  if ((await countLiveKeys(tx, accountId)) >= liveKeys) {
    throw planRefuses(`An account has at most ${liveKeys} live keys: revoke one first`);
  }
};
