import type { Transaction } from '../../../db/connect.ts';
import { listKnownMembers } from '../../members/queries/roll-calls.ts';
import {
  type Arrival,
  type InGuild,
  markReturned,
  rememberRoles,
  type SeenRoles,
} from '../../members/queries/seen.ts';
import { listBroughtByPulls } from '../../pulls/queries/brought.ts';
import { judgePresence } from '../rules.ts';

export type ReturnDependencies = {
  /** On this server somebody waits for what they had. */
  onReturned(
    tx: Transaction,
    server: { accountId: string; botId: string; serverId: string },
  ): Promise<void>;
};

/** As a roll call of that number lists them; what is known unchanged since `staleBefore` stays so. */
type Listing = { number: number; staleBefore: Date | undefined };

/** These people are in the guild, and this is what they have, as was heard or is listed. */
export const storePresent = async (
  dependencies: ReturnDependencies,
  tx: Transaction,
  guild: InGuild,
  present: readonly SeenRoles[],
  listing?: Listing,
): Promise<void> => {
  if (present.length === 0) return;
  const ids = present.map(({ platformId }) => platformId);
  const known = await listKnownMembers(tx, guild, ids);
  const verdicts = new Map(known.map(({ platformId, ...member }) => [platformId, member]));
  const verdictOf = ({ platformId, joinedAt }: SeenRoles) => {
    const member = verdicts.get(platformId);
    return member && judgePresence(member, joinedAt, listing ? 'listed' : 'heard');
  };
  const there = present.filter((one) => verdictOf(one) === 'there');
  const returned = present.filter((one) => verdictOf(one) === 'returned');
  await rememberRoles(tx, guild, there, listing);
  const arrivals = returned.map((one) => ({ ...one, isMissed: true }));
  await storeArrivals(dependencies, tx, guild, arrivals, listing);
};

/**
 * These people came to the guild. Whoever is not to get back what they had has what they came with; what
 * somebody had whom a pull brought is kept, for the next time that they come by themselves.
 */
export const storeArrivals = async (
  { onReturned }: ReturnDependencies,
  tx: Transaction,
  { guildId, ...bot }: InGuild,
  arrivals: readonly Arrival[],
  listing?: Listing,
): Promise<void> => {
  if (arrivals.length === 0) return;
  const guild = { ...bot, guildId };
  const brought = await listBroughtByPulls(tx, guild, arrivals);
  for (const serverId of await markReturned(tx, guild, arrivals, { brought, listing })) {
    await onReturned(tx, { ...bot, serverId });
  }
  const byThemselves = arrivals.filter(({ platformId }) => !brought.includes(platformId));
  await rememberRoles(tx, guild, byThemselves, listing);
};
