import { and, desc, eq, gt, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { servers } from '../../servers/table.ts';
import type { MadePause } from '../contain/owners-pause.ts';
import { raidWaves } from '../raid/table.ts';
import { incidentSteps, incidents } from '../table.ts';
import type { OfIncident } from './of-incident.ts';

type Owned = { accountId: string; serverId: string };

const { id, accountId, serverId, endedAt, invitesPausedUntil } = incidents;

const isStillPaused = gt(invitesPausedUntil, sql`now()`);

/** The pauses that were made, or begun, for incidents of a server; no pause is longer than a day. */
export const listMadePauses = async (db: Queryable, owner: Owned): Promise<MadePause[]> => {
  const { detail, kind, at } = incidentSteps;
  const rows = await db
    .select({ detail })
    .from(incidents)
    .innerJoin(incidentSteps, eq(incidentSteps.incidentId, id))
    .where(
      and(
        eq(serverId, owner.serverId),
        eq(accountId, owner.accountId),
        eq(kind, 'PAUSE_INVITES'),
        sql`${detail} ? 'until'`,
        gt(at, sql`now() - interval '25 hours'`),
      ),
    );
  return rows.map((row) => ({
    until: new Date(String(row.detail.until)),
    before: typeof row.detail.before === 'string' ? new Date(row.detail.before) : null,
  }));
};

/** Another incident of the server's guild that needs invites paused. */
export const findOtherPause = async (
  db: Queryable,
  owner: OfIncident & Owned & { guildId: string },
): Promise<{ incidentId: string; until: Date } | undefined> => {
  const other = await firstRow(
    db
      .select({ incidentId: id, until: invitesPausedUntil })
      .from(incidents)
      .leftJoin(raidWaves, eq(raidWaves.incidentId, id))
      .where(
        and(
          eq(serverId, owner.serverId),
          eq(accountId, owner.accountId),
          eq(incidents.guildId, owner.guildId),
          ne(id, owner.incidentId),
          isNull(endedAt),
          isNull(raidWaves.overAt),
          isStillPaused,
        ),
      )
      .orderBy(desc(invitesPausedUntil))
      .limit(1),
  );
  return other?.until ? { incidentId: other.incidentId, until: other.until } : undefined;
};

const needsResume = and(or(isNotNull(endedAt), isNotNull(raidWaves.overAt)), isStillPaused);

/** An incident that has ended, or whose wave is over, and for which invites are still paused. */
export const findToResume = (db: Queryable, owner: OfIncident) =>
  firstRow(
    db
      .select({
        ...{ incidentId: id, accountId, serverId },
        guildId: incidents.guildId,
        botId: sql<string>`${servers.customBotId}`,
      })
      .from(incidents)
      .innerJoin(servers, eq(servers.id, serverId))
      .leftJoin(raidWaves, eq(raidWaves.incidentId, id))
      .where(
        and(
          eq(id, owner.incidentId),
          eq(accountId, owner.accountId),
          needsResume,
          isNull(servers.deletedAt),
          isNotNull(servers.customBotId),
        ),
      ),
  );

export type PausedIncident = NonNullable<Awaited<ReturnType<typeof findToResume>>>;

export const listInvitesToResume = (db: Queryable, limit: number) =>
  db
    .select({ incidentId: id, accountId })
    .from(incidents)
    .leftJoin(raidWaves, eq(raidWaves.incidentId, id))
    .where(needsResume)
    .limit(limit);
