import type { Database } from '../../../db/connect.ts';
import type { CurrentMember } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { findBackupOfMembers, savedAtOf } from '../../backups/queries.ts';
import {
  continueRollCall,
  endRollCall,
  lockRollCall,
  markAbsent,
  type RollCall,
} from '../../members/queries/roll-calls.ts';
import { type ReturnDependencies, storePresent } from '../returns/store-present.ts';
import { momentOf } from '../rules.ts';

export type PageDependencies = ReturnDependencies & { db: Database };

type Caller = { accountId: string; serverId: string; botId: string };
type Page = { members: CurrentMember[]; isLast: boolean };

/** First those who are missing on it, some at a time; then those who are on it, and where the next begins. */
export const storePage = async (
  dependencies: PageDependencies,
  caller: Caller,
  { lease }: LeasedRun,
  call: RollCall,
  { members, isLast }: Page,
): Promise<void> => {
  const { db } = dependencies;
  const { accountId, botId, serverId } = caller;
  const listed = members.map(({ userId }) => userId);
  const lastId = isLast ? undefined : listed.at(-1);
  const guild = { accountId, botId, serverId, guildId: call.guildId };
  const backup = await findBackupOfMembers(db, { id: serverId, accountId });
  const storeAbsent = () =>
    lease.transaction(db, async (tx) => {
      const isCurrent = await lockRollCall(tx, caller, call);
      return isCurrent && markAbsent(tx, guild, call, { listed, lastId });
    });
  while (await storeAbsent());
  await lease.transaction(db, async (tx) => {
    if (!(await lockRollCall(tx, caller, call))) return;
    const present = members.map(({ userId, roleIds, nick, joinedAt }) => ({
      ...{ platformId: userId, roleIds, nick, joinedAt: momentOf(joinedAt) },
    }));
    const listing = { number: call.number, staleBefore: backup && savedAtOf(backup) };
    await storePresent(
      dependencies,
      tx,
      { accountId, botId, guildId: call.guildId },
      present,
      listing,
    );
    if (lastId === undefined) await endRollCall(tx, caller, call, { isComplete: true });
    else await continueRollCall(tx, caller, lastId);
  });
};
