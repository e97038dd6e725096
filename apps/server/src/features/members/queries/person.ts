import { and, desc, eq, inArray, lte } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { members, seenMembers } from '../table.ts';
import { forgetRoles, leftAt } from './seen.ts';

const { id, serverId, accountId, platformId, verifiedAt } = members;

/** What is known about a person on one server, in the order of the person's export. */
export const profileFields = {
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
};

type TokenOwner = { accountId: string; botId: string; platformId: string };

const holdsTokenOf = (owner: TokenOwner) =>
  and(
    eq(accountId, owner.accountId),
    eq(platformId, owner.platformId),
    eq(members.botId, owner.botId),
  );

/** On every server for which the person gave a token to this bot. */
export const setTokenStatus = async (
  tx: Transaction,
  owner: TokenOwner,
  tokenStatus: typeof members.$inferInsert.tokenStatus,
): Promise<void> => {
  await tx.update(members).set({ tokenStatus }).where(holdsTokenOf(owner));
  // A token that is refreshed in time was valid before.
  if (tokenStatus !== 'VALID') markChanged(tx, { accountId: owner.accountId }, 'members');
};

const withoutConsent = { consentedAt: null, botId: null } as const;

/** The person stays verified. False if there was no consent, or it was given again since. */
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
  await forgetRoles(tx, withdrawn);
  return withdrawn.length > 0;
};

/**
 * The person deauthorized the bot at the platform, which ends their consent on all servers of the
 * account; not where they verified again since.
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
  await forgetRoles(tx, revoked);
  return revoked.length;
};

/** Of all accounts: for the person's own page. */
export const listMembershipsOfPerson = (db: Queryable, ofPlatformId: string) =>
  db
    .select({
      ...{ accountId, serverId, botId: members.botId, ...profileFields, leftAt },
      roleIds: seenMembers.roleIds,
      nick: seenMembers.nick,
      joinedAt: seenMembers.joinedAt,
    })
    .from(members)
    .leftJoin(seenMembers, eq(seenMembers.memberId, id))
    .where(eq(platformId, ofPlatformId))
    .orderBy(desc(verifiedAt), desc(id));

export const deleteMembershipsOfPerson = (tx: Transaction, ofPlatformId: string) =>
  tx.delete(members).where(eq(platformId, ofPlatformId)).returning({ id, accountId });

export const listSomeMemberIds = async (
  db: Queryable,
  ofServerId: string,
  limit: number,
): Promise<string[]> => {
  const some = await db.select({ id }).from(members).where(eq(serverId, ofServerId)).limit(limit);
  return some.map((member) => member.id);
};

export const deleteMembers = async (tx: Transaction, memberIds: string[]): Promise<void> => {
  await tx.delete(members).where(inArray(id, memberIds));
};
