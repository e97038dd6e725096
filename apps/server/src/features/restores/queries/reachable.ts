import { and, eq, inArray } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { members } from '../../members/table.ts';

/** How many of these people a pull can add to the server again. */
export const countReachable = (
  db: Queryable,
  { accountId, serverId }: { accountId: string; serverId: string },
  platformIds: string[],
): Promise<number> =>
  db.$count(
    members,
    and(
      eq(members.serverId, serverId),
      eq(members.accountId, accountId),
      eq(members.pullable, true),
      inArray(members.platformId, platformIds),
    ),
  );
