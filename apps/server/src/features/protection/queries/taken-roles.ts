import { and, eq, isNull, notInArray, or, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { findComingPower } from '../../restores/queries/coming-power.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import { servers } from '../../servers/table.ts';
import { incidentExecutors, incidents } from '../table.ts';

const { returnStatus, rolesTaken } = incidentExecutors;

export const findHeldBack: FindHeldBack = async (db, { platformId, ...server }) => ({
  taken: platformId === undefined ? undefined : await findTaken(db, { platformId, ...server }),
  coming: await findComingPower(db, server),
});

/** Of incidents of the server or of its guild that have not ended. */
const findTaken = async (
  db: Queryable,
  { accountId, serverId, platformId }: Required<Parameters<FindHeldBack>[1]>,
): Promise<readonly string[] | undefined> => {
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
