import type { Database } from '../../../db/connect.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { listMembershipsOfPerson, withdrawConsent } from '../../members/queries/person.ts';
import { hasConsent } from '../../members/queries/verified.ts';
import { lockTokens } from '../../vault/queries.ts';
import { type DeleteTokensDependencies, deleteAndRevokeTokens } from '../../vault/tokens/delete.ts';

/** Withdraws the consent to recovery on one server. The person stays verified there. */
export const withdrawFromServer = async (
  dependencies: DeleteTokensDependencies & { db: Database },
  person: { platformId: string; serverId: string },
): Promise<void> => {
  const { platformId } = person;
  const memberships = await listMembershipsOfPerson(dependencies.db, platformId);
  const membership = memberships.find(({ serverId }) => serverId === person.serverId);
  if (!membership?.consentedAt) return;
  const { accountId, serverId, botId, consentedAt } = membership;
  await dependencies.db.transaction(async (tx) => {
    const owner = botId === null ? undefined : { accountId, botId, platformId };
    // First, as everywhere: a concurrent verification is either seen here, or finds the tokens gone.
    if (owner) await lockTokens(tx, owner);
    if (!(await withdrawConsent(tx, { serverId, platformId, consentedAt }))) return;
    // One token serves all servers of the account that use this bot.
    if (owner && !(await hasConsent(tx, owner))) {
      await deleteAndRevokeTokens(tx, dependencies, owner);
    }
    await recordAudit(tx, {
      accountId,
      actor: systemActor,
      action: 'member.withdraw',
      subject: { type: 'member', id: platformId },
      changes: { serverId },
    });
  });
};
