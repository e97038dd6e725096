import { and, eq, isNull, notInArray, or, sql } from 'drizzle-orm';
import type { FindTakenRoles } from '../../servers/power/taken-roles.ts';
import { servers } from '../../servers/table.ts';
import { incidentExecutors, incidents } from '../table.ts';

const { returnStatus, rolesTaken } = incidentExecutors;

/** Of incidents of the server or of its guild that have not ended. */
export const findTakenRoles: FindTakenRoles = async (db, { accountId, serverId, platformId }) => {
  const guildId = db
    .select({ id: servers.platformGuildId })
    .from(servers)
    .where(and(eq(servers.id, serverId), eq(servers.accountId, accountId)));
  const rows = await db
    .select({ rolesTaken })
    .from(incidents)
    .innerJoin(incidentExecutors, eq(incidentExecutors.incidentId, incidents.id))
    .where(
      and(
        eq(incidents.accountId, accountId),
        isNull(incidents.endedAt),
        or(eq(incidents.serverId, serverId), eq(incidents.guildId, sql`(${guildId})`)),
        eq(incidentExecutors.platformId, platformId),
        or(isNull(returnStatus), notInArray(returnStatus, ['wanted', 'returned'])),
      ),
    );
  return rows.length === 0 ? undefined : rows.flatMap((row) => row.rolesTaken);
};
