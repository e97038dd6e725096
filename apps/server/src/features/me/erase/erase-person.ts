import type { Database, Transaction } from '../../../db/connect.ts';
import { deleteAnswersNamingPeople } from '../../../http/queries.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { erasePersonFromBackups } from '../../backups/erasure/erasures.ts';
import { redactAccount } from '../../backups/erasure/jobs.ts';
import { deleteMembershipsOfPerson } from '../../members/queries/person.ts';
import { erasePersonFromProtection } from '../../protection/queries/person.ts';
import { refreshRecall } from '../../pulls/recall/jobs.ts';
import { listRecallsOfPerson } from '../../pulls/recall/queries.ts';
import { deleteSessionsOfPerson } from '../../sessions/queries.ts';
import { listTokensOfPerson, type TokenOwner } from '../../vault/queries.ts';
import { type DeleteTokensDependencies, deleteAndRevokeTokens } from '../../vault/tokens/delete.ts';
import { deleteAppealsOfPerson } from '../../verification/queries/appeals.ts';
import { forgetAttemptsOfPerson } from '../../verification/queries/attempts.ts';
import { deleteIdentityHashesOfPerson } from '../../verification/queries/identity-hashes.ts';
import { deletePendingOfPerson } from '../../verification/queries/pending-verifications.ts';
import { deleteRoleAssignments } from '../../verification/queries/role-assignments.ts';

/**
 * Erases a person on all servers at once. Backups hide them from now on, by a tombstone. Their platform
 * id stays in what owners wrote themselves, blacklist and rules, in incidents, and in the audit log, which
 * records the erasure too.
 */
export const erasePerson = (
  dependencies: DeleteTokensDependencies & { db: Database },
  platformId: string,
): Promise<void> =>
  dependencies.db.transaction(async (tx) => {
    const { ring, queue } = dependencies;
    const pending = await deletePendingOfPerson(tx, platformId);
    const tokens = await deleteTokensOfPerson(tx, dependencies, platformId);
    const recalls = await listRecallsOfPerson(tx, platformId);
    const members = await deleteMembershipsOfPerson(tx, platformId);
    await deleteRoleAssignments(
      tx,
      members.map(({ id }) => id),
    );
    const hashes = await deleteIdentityHashesOfPerson(tx, platformId);
    const appeals = await deleteAppealsOfPerson(tx, platformId);
    const attempts = await forgetAttemptsOfPerson(tx, platformId);
    const protection = await erasePersonFromProtection(tx, platformId);
    await deleteSessionsOfPerson(tx, platformId);
    const erased = [pending, tokens, members, hashes, appeals, attempts, protection].flat();
    const withRows = new Set(erased.map(({ accountId }) => accountId));
    const withBackups = await erasePersonFromBackups(tx, ring, platformId, withRows);
    const accounts = new Set([...withRows, ...withBackups]);
    await deleteAnswersNamingPeople(tx, accounts);
    for (const accountId of accounts) await queue.enqueue(tx, redactAccount, { accountId });
    for (const { pullId, accountId } of recalls) {
      await queue.enqueue(tx, refreshRecall, { pullId, accountId });
    }
    // Always in the same order, since each entry locks its account's chain until the end.
    for (const accountId of [...accounts].sort()) {
      await recordAudit(tx, {
        accountId,
        actor: systemActor,
        action: 'member.erase',
        subject: { type: 'member', id: platformId },
      });
    }
  });

/** Returns the owners of the tokens that this transaction deleted. */
const deleteTokensOfPerson = async (
  tx: Transaction,
  dependencies: DeleteTokensDependencies,
  platformId: string,
): Promise<TokenOwner[]> => {
  const deleted: TokenOwner[] = [];
  for (const owner of await listTokensOfPerson(tx, platformId)) {
    if (await deleteAndRevokeTokens(tx, dependencies, owner)) deleted.push(owner);
  }
  return deleted;
};
