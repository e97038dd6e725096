import { and, eq, inArray, notExists, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { members } from '../../members/table.ts';
import { raidNewcomers, raidWaves } from '../raid/table.ts';
import { incidents } from '../table.ts';

type InGuild = { accountId: string; serverId: string; guildId: string };

/**
 * Of these people those who came with a wave, and in which time that counts: from when they joined until
 * the wave was over, or for as long as they wait for a decision. Whoever has verified is a member as any
 * other.
 */
export const listRaiders = (db: Queryable, inGuild: InGuild, platformIds: string[]) => {
  const { accountId, serverId, platformId, incidentId, joinedAt, status } = raidNewcomers;
  const verified = db
    .select({ id: members.id })
    .from(members)
    .where(
      and(
        eq(members.accountId, inGuild.accountId),
        eq(members.platformId, platformId),
        eq(members.blacklisted, false),
      ),
    );
  return db
    .select({
      ...{ platformId, from: joinedAt },
      until: sql<Date | null>`case when ${status} in ('held', 'removing') then ${incidents.endedAt}
        else ${raidWaves.overAt} end`.mapWith(incidents.endedAt),
    })
    .from(raidNewcomers)
    .innerJoin(raidWaves, eq(raidWaves.incidentId, incidentId))
    .innerJoin(incidents, eq(incidents.id, incidentId))
    .where(
      and(
        eq(serverId, inGuild.serverId),
        eq(accountId, inGuild.accountId),
        eq(raidWaves.guildId, inGuild.guildId),
        inArray(platformId, platformIds),
        notExists(verified),
      ),
    );
};
