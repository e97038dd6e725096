import type { Database } from '../../db/connect.ts';
import { recordAudit } from '../audit/queries.ts';
import { revokeConsent } from '../members/person/queries.ts';
import { hasConsent } from '../members/queries.ts';
import { deleteTokens, lockTokens, type TokenOwner } from '../vault/queries.ts';
import { deletePassagesThrough } from './queries.ts';

/**
 * The person removed the application at the platform, which ended its tokens there. Told twice, or
 * late, it changes nothing more: what the person agreed to after `at` stays.
 */
export const deauthorize = (db: Database, owner: TokenOwner, at: Date): Promise<void> =>
  db.transaction(async (tx) => {
    await deletePassagesThrough(tx, owner);
    await lockTokens(tx, owner);
    const revoked = await revokeConsent(tx, owner, at);
    if (await hasConsent(tx, owner)) return;
    const gone = await deleteTokens(tx, owner);
    if (revoked === 0 && !gone) return;
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'member.deauthorize',
      subject: { type: 'member', id: owner.platformId },
      changes: { botId: owner.botId },
    });
  });
