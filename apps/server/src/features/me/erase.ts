import type { Database, Transaction } from '../../db/connect.ts';
import { forgetAnswersNamingPeople } from '../../http/queries.ts';
import { recordAudit } from '../audit/queries.ts';
import { erasePersonFromBackups } from '../backups/people/erasures.ts';
import { redactAccount } from '../backups/people/job-names.ts';
import { deleteMembershipsOfPerson } from '../members/person/queries.ts';
import { deleteSessionsOfPerson } from '../sessions/queries.ts';
import { type ForgetTools, forgetTokens } from '../vault/forget.ts';
import { listTokensOfPerson, type TokenOwner } from '../vault/queries.ts';
import { deleteAppealsOf, deleteGrantsOf, deletePassagesOf, deleteTracesOf } from './queries.ts';

/**
 * Erases a person on all servers at once. Backups hide them from now on, by a tombstone. What stays is
 * the platform id in what the owners wrote themselves, their blacklist and rules, and in their audit log,
 * which tells of the erasure too.
 */
export const erasePerson = (
  tools: ForgetTools & { db: Database },
  platformId: string,
): Promise<void> =>
  tools.db.transaction(async (tx) => {
    const visits = await deletePassagesOf(tx, platformId);
    const given = await forgetAll(tx, tools, platformId);
    const members = await deleteMembershipsOfPerson(tx, platformId);
    const memberIds = members.map(({ id }) => id);
    await deleteGrantsOf(tx, memberIds);
    const traces = await deleteTracesOf(tx, platformId);
    const appeals = await deleteAppealsOf(tx, platformId);
    await deleteSessionsOfPerson(tx, platformId);
    const erased = [...visits, ...given, ...members, ...traces, ...appeals];
    const held = new Set(erased.map(({ accountId }) => accountId));
    const inBackups = await erasePersonFromBackups(tx, tools.ring, platformId, held);
    const accounts = new Set([...held, ...inBackups]);
    await forgetAnswersNamingPeople(tx, accounts);
    for (const accountId of accounts) await tools.queue.enqueue(tx, redactAccount, { accountId });
    // In one order for everybody, since each entry holds its account's chain until the end.
    for (const accountId of [...accounts].sort()) {
      await recordAudit(tx, {
        accountId,
        actor: { type: 'SYSTEM', id: null },
        action: 'member.erase',
        subject: { type: 'member', id: platformId },
      });
    }
  });

/** The tokens that are gone by this very transaction. */
const forgetAll = async (
  tx: Transaction,
  tools: ForgetTools,
  platformId: string,
): Promise<TokenOwner[]> => {
  const forgotten: TokenOwner[] = [];
  for (const owner of await listTokensOfPerson(tx, platformId)) {
    if (await forgetTokens(tx, tools, owner)) forgotten.push(owner);
  }
  return forgotten;
};
