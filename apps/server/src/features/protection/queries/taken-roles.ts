import { and, eq, isNull, notInArray, or, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { findComingPower } from '../../restores/queries/coming-power.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import { servers } from '../../servers/table.ts';
import { incidentExecutors, incidents } from '../table.ts';

const { platformId, returnStatus, rolesTaken } = incidentExecutors;

export const findHeldBack: FindHeldBack = async (db, { platformId: id, ...server }) => {
  const coming = await findComingPower(db, server);
  const held = await listStopped(db, server, id);
  if (id === undefined) {
    return { taken: undefined, coming, stopped: held.map((one) => one.platformId) };
  }
  const taken = held.flatMap((one) => one.rolesTaken);
  return { taken: held.length === 0 ? undefined : taken, coming };
};

/** In incidents of the server or of its guild that have not ended; all of them, or one person. */
const listStopped = async (
  db: Queryable,
  { accountId, serverId }: { accountId: string; serverId: string },
  id: string | undefined,
): Promise<{ platformId: string; rolesTaken: readonly string[] }[]> => {
  const guildId = db
    .select({ id: servers.platformGuildId })
    .from(servers)
    .where(and(eq(servers.id, serverId), eq(servers.accountId, accountId)));
  return db
    .select({ platformId, rolesTaken })
    .from(incidents)
    .innerJoin(incidentExecutors, eq(incidentExecutors.incidentId, incidents.id))
    .where(
      and(
        eq(incidents.accountId, accountId),
        isNull(incidents.endedAt),
        or(eq(incidents.serverId, serverId), eq(incidents.guildId, sql`(${guildId})`)),
        id === undefined ? undefined : eq(platformId, id),
        or(isNull(returnStatus), notInArray(returnStatus, ['wanted', 'returned'])),
      ),
    );
};
