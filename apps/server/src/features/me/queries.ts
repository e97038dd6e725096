import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { bots } from '../bots/table.ts';
import { members } from '../members/table.ts';
import { servers } from '../servers/table.ts';
import { memberTokens } from '../vault/table.ts';

export const listServersById = async (db: Queryable, ids: string[]) => {
  if (ids.length === 0) return [];
  return db
    .select({ id: servers.id, name: servers.name, platformGuildId: servers.platformGuildId })
    .from(servers)
    .where(and(inArray(servers.id, ids), isNull(servers.deletedAt)))
    .orderBy(servers.name, servers.id);
};

/** By its id alone: the request comes from the platform, whose signature proves it. */
export const findSigningBot = async (db: Queryable, botId: string) => {
  const [bot] = await db
    .select({ botId: bots.id, accountId: bots.accountId, publicKey: bots.publicKey })
    .from(bots)
    .where(eq(bots.id, botId));
  return bot;
};

const isGivenBy = and(
  eq(members.accountId, memberTokens.accountId),
  eq(members.botId, memberTokens.botId),
  eq(members.platformId, memberTokens.platformId),
);

/** Locks the tokens that these members gave; returns their ids. */
export const lockTokensOfMembers = async (tx: Transaction, memberIds: string[]) => {
  const locked = await tx
    .select({ id: memberTokens.id })
    .from(memberTokens)
    .innerJoin(members, isGivenBy)
    .where(inArray(members.id, memberIds))
    .for('update', { of: memberTokens });
  return locked.map(({ id }) => id);
};

/** A subquery about a row of `memberTokens`: the members who consent to recovery with it. */
export const membersConsentingToToken = (tx: Transaction) =>
  tx
    .select({ id: members.id })
    .from(members)
    .where(and(isGivenBy, isNotNull(members.consentedAt)));
