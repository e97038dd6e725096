import { and, desc, eq, lte } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { members } from '../table.ts';

const { id, serverId, accountId, platformId, verifiedAt } = members;

type TokenOwner = { accountId: string; botId: string; platformId: string };

const holdsTokenOf = (owner: TokenOwner) =>
  and(eq(accountId, owner.accountId), eq(platformId, owner.platformId), eq(members.botId, owner.botId));

/** How the token stands that a person gave to this bot, on every server that it serves. */
export const markTokens = async (
  tx: Transaction,
  owner: TokenOwner,
  tokenStatus: typeof members.$inferInsert.tokenStatus,
): Promise<void> => {
  await tx.update(members).set({ tokenStatus }).where(holdsTokenOf(owner));
};

const withoutConsent = { consentedAt: null, botId: null } as const;

/** The person stays verified. False where there was no consent, or it was given anew since. */
export const withdrawConsent = async (
  tx: Transaction,
  membership: { serverId: string; platformId: string; consentedAt: Date },
): Promise<boolean> => {
  const withdrawn = await tx
    .update(members)
    .set({ ...withoutConsent, tokenStatus: 'NONE' })
    .where(
      and(
        eq(serverId, membership.serverId),
        eq(platformId, membership.platformId),
        eq(members.consentedAt, membership.consentedAt),
      ),
    )
    .returning({ id });
  return withdrawn.length > 0;
};

/**
 * The platform says that the person took it back: on all servers of the account. Who verified again
 * since then gave it anew.
 */
export const revokeConsent = async (
  tx: Transaction,
  owner: TokenOwner,
  before: Date,
): Promise<number> => {
  const revoked = await tx
    .update(members)
    .set({ ...withoutConsent, tokenStatus: 'REVOKED' })
    .where(and(holdsTokenOf(owner), lte(verifiedAt, before)))
    .returning({ id });
  return revoked.length;
};

/** What every account knows about one person; no owner asks, the person does. */
export const listMembershipsOfPerson = (db: Queryable, ofPlatformId: string) =>
  db
    .select({
      accountId,
      serverId,
      botId: members.botId,
      username: members.username,
      displayName: members.displayName,
      avatarUrl: members.avatarUrl,
      country: members.country,
      region: members.region,
      asn: members.asn,
      fingerprint: members.fingerprint,
      isVpn: members.isVpn,
      isAlt: members.isAlt,
      tokenStatus: members.tokenStatus,
      consentedAt: members.consentedAt,
      accountCreatedAt: members.accountCreatedAt,
      verifiedAt,
    })
    .from(members)
    .where(eq(platformId, ofPlatformId))
    .orderBy(desc(verifiedAt), desc(id));

export const deleteMembershipsOfPerson = (tx: Transaction, ofPlatformId: string) =>
  tx.delete(members).where(eq(platformId, ofPlatformId)).returning({ id, accountId });
