import { and, eq, inArray, isNotNull, notExists } from 'drizzle-orm';
import type { Transaction } from '../../../db/connect.ts';
import { members } from '../../members/table.ts';
import { memberTokens } from '../../vault/table.ts';

/* Stands above both rooms: whether a token is still wanted, only the members can tell. */

const isGivenBy = and(
  eq(members.accountId, memberTokens.accountId),
  eq(members.botId, memberTokens.botId),
  eq(members.platformId, memberTokens.platformId),
);

export const listSomeMembers = async (tx: Transaction, serverId: string, most: number) => {
  const some = await tx
    .select({ id: members.id })
    .from(members)
    .where(eq(members.serverId, serverId))
    .limit(most);
  return some.map(({ id }) => id);
};

/** The tokens that these members gave, held until the transaction ends. */
export const lockTokensOfMembers = async (tx: Transaction, memberIds: string[]) => {
  const locked = await tx
    .select({ id: memberTokens.id })
    .from(memberTokens)
    .innerJoin(members, isGivenBy)
    .where(inArray(members.id, memberIds))
    .for('update', { of: memberTokens });
  return locked.map(({ id }) => id);
};

export const deleteMembers = async (tx: Transaction, memberIds: string[]): Promise<void> => {
  await tx.delete(members).where(inArray(members.id, memberIds));
};

/** Those that no server counts on any more. */
export const deleteUnwantedTokens = async (tx: Transaction, tokenIds: string[]): Promise<void> => {
  const wanting = tx
    .select({ id: members.id })
    .from(members)
    .where(and(isGivenBy, isNotNull(members.consentedAt)));
  await tx.delete(memberTokens).where(and(inArray(memberTokens.id, tokenIds), notExists(wanting)));
};
