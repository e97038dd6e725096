import type { Database, Transaction } from '../../db/connect.ts';
import { recordAudit } from '../audit/queries.ts';
import { listMembershipsOfPerson, withdrawConsent } from '../members/person/queries.ts';
import { hasConsent } from '../members/queries.ts';
import { type ForgetTools, forgetTokens } from '../vault/forget.ts';
import { lockTokens } from '../vault/queries.ts';

/** Takes recovery consent back on one server. The person stays verified there. */
export const withdrawFrom = async (
  tools: ForgetTools & { db: Database },
  wish: { platformId: string; serverId: string },
): Promise<void> => {
  const { platformId } = wish;
  const memberships = await listMembershipsOfPerson(tools.db, platformId);
  const membership = memberships.find(({ serverId }) => serverId === wish.serverId);
  if (!membership?.consentedAt) return;
  const { accountId, serverId, botId, consentedAt } = membership;
  await tools.db.transaction(async (tx) => {
    const owner = botId === null ? undefined : { accountId, botId, platformId };
    // First, as everywhere: who verifies at this moment either is seen here or finds the tokens gone.
    if (owner) await lockTokens(tx, owner);
    if (!(await withdrawConsent(tx, { serverId, platformId, consentedAt }))) return;
    if (owner) await forgetUnlessWanted(tx, tools, owner);
    await recordAudit(tx, {
      accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'member.withdraw',
      subject: { type: 'member', id: platformId },
      changes: { serverId },
    });
  });
};

/** One token serves all servers of the account that use this bot. */
const forgetUnlessWanted = async (
  tx: Transaction,
  tools: ForgetTools,
  owner: Parameters<typeof forgetTokens>[2],
): Promise<void> => {
  if (!(await hasConsent(tx, owner))) await forgetTokens(tx, tools, owner);
};
