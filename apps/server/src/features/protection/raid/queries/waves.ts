import { and, asc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../../db/connect.ts';
import { purgeByServer } from '../../../../db/queries/purge-rows.ts';
import { firstRow, hasRows } from '../../../../db/queries/rows.ts';
import { servers } from '../../../servers/table.ts';
import { incidents } from '../../table.ts';
import { raidNewcomers, raidWaves } from '../table.ts';

type Owned = { accountId: string; serverId: string };
export type OfWave = { accountId: string; incidentId: string };

const { incidentId, accountId, serverId, lastJoinAt, startedAt, overAt } = raidWaves;

const isWave = (wave: OfWave) =>
  and(eq(incidentId, wave.incidentId), eq(accountId, wave.accountId));

type NewWave = Owned & {
  incidentId: string;
  guildId: string;
  minAccountAgeDays: number;
  startedAt: Date;
  lastJoinAt: Date;
  detectedAt: Date;
};

/** Opens the incident with its wave; false where one of this server is open already. */
export const insertWave = async (
  tx: Transaction,
  { detectedAt, ...wave }: NewWave,
): Promise<boolean> => {
  const { incidentId: id, accountId: ofAccount, serverId: ofServer, guildId } = wave;
  const isNew = await hasRows(
    tx
      .insert(incidents)
      .values({
        ...{ id, accountId: ofAccount, serverId: ofServer, guildId, kind: 'RAID', detectedAt },
        ...{ trigger: { kind: 'joins', executorId: null }, firstActAt: wave.startedAt },
      })
      .onConflictDoNothing()
      .returning({ id: incidents.id }),
  );
  if (!isNew) return false;
  // A wave in a guild that the server had before goes on there without us.
  await tx
    .update(raidWaves)
    .set({ overAt: sql`clock_timestamp()` })
    .where(and(eq(serverId, ofServer), eq(accountId, ofAccount), isNull(overAt)));
  await tx.insert(raidWaves).values({ ...wave, joins: 0, newcomers: 0 });
  return true;
};

type Joined = { joins: number; newcomers: number; lastJoinAt: Date | undefined };

/** Counts joins to a wave; returns how many there were before. The wave is locked from then on. */
export const countJoins = async (
  tx: Transaction,
  wave: OfWave,
  joined: Joined,
): Promise<number> => {
  const [counted] = await tx
    .update(raidWaves)
    .set({
      joins: sql`${raidWaves.joins} + ${joined.joins}`,
      newcomers: sql`${raidWaves.newcomers} + ${joined.newcomers}`,
      ...(joined.lastJoinAt && {
        lastJoinAt: sql`greatest(${lastJoinAt}, ${joined.lastJoinAt.toISOString()}::timestamptz)`,
      }),
    })
    .where(isWave(wave))
    .returning({ newcomers: raidWaves.newcomers, serverId });
  if (!counted) throw new Error('The wave is gone');
  markChanged(tx, { accountId: wave.accountId, serverId: counted.serverId }, 'incidents');
  return counted.newcomers - joined.newcomers;
};

type Alike = { nameKeys: string[]; fewestAlike: number; points: number; heldFrom: number };

/**
 * Whoever has one of these names together with enough others of the wave is alike. Names are counted only
 * up to the number that decides, and everybody becomes alike once: a long wave costs no more per join.
 */
export const markAlike = async (
  tx: Transaction,
  wave: OfWave,
  { nameKeys, fewestAlike, points, heldFrom }: Alike,
): Promise<void> => {
  if (nameKeys.length === 0) return;
  const keys = sql`jsonb_array_elements_text(${JSON.stringify(nameKeys)}::text::jsonb) as key`;
  const some = sql`select 1 from ${raidNewcomers} as other
    where other.incident_id = ${wave.incidentId} and other.name_key = key limit ${fewestAlike}`;
  const alike = sql`(select key from ${keys} where (select count(*) from (${some}) as found) >= ${fewestAlike})`;
  const score = sql`${raidNewcomers.score} + ${points}`;
  await tx
    .update(raidNewcomers)
    .set({
      isAlike: true,
      score,
      status: sql`case when ${raidNewcomers.status} = 'seen' and ${score} >= ${heldFrom}
        then 'held' else ${raidNewcomers.status} end`,
    })
    .where(
      and(
        eq(raidNewcomers.incidentId, wave.incidentId),
        eq(raidNewcomers.accountId, wave.accountId),
        eq(raidNewcomers.isAlike, false),
        sql`${raidNewcomers.nameKey} in ${alike}`,
      ),
    );
};

/** With what its containment needs. Nothing where the server is deleted, or has another guild or no bot. */
export const findWaveToContain = (db: Queryable, wave: OfWave) =>
  firstRow(
    db
      .select({
        ...{ incidentId, accountId, serverId, overAt },
        guildId: raidWaves.guildId,
        decision: raidWaves.decision,
        status: incidents.status,
        botId: sql<string>`${servers.customBotId}`,
      })
      .from(raidWaves)
      .innerJoin(incidents, eq(incidents.id, incidentId))
      .innerJoin(servers, eq(servers.id, serverId))
      .where(
        and(
          isWave(wave),
          isNull(servers.deletedAt),
          isNotNull(servers.customBotId),
          eq(servers.platformGuildId, raidWaves.guildId),
        ),
      ),
  );

export type WaveToContain = NonNullable<Awaited<ReturnType<typeof findWaveToContain>>>;

const isIncident = (wave: OfWave) =>
  and(eq(incidents.id, wave.incidentId), eq(incidents.accountId, wave.accountId));

export const markRaidContained = async (tx: Transaction, wave: OfWave & Owned): Promise<void> => {
  const isChanged = await hasRows(
    tx
      .update(incidents)
      .set({ status: 'contained', containedAt: sql`clock_timestamp()` })
      .where(and(isIncident(wave), eq(incidents.status, 'open')))
      .returning({ id: incidents.id }),
  );
  if (isChanged) markChanged(tx, wave, 'incidents');
};

/** Waves without a join since then, or that began before the other moment. */
export const listWavesOver = (
  db: Queryable,
  { quietSince, begunBefore }: { quietSince: Date; begunBefore: Date },
  limit: number,
) =>
  db
    .select({ incidentId, accountId, serverId })
    .from(raidWaves)
    .where(and(isNull(overAt), or(lt(lastJoinAt, quietSince), lt(startedAt, begunBefore))))
    .orderBy(asc(lastJoinAt))
    .limit(limit);

/** False where it is over already, or somebody has joined since. */
export const endWave = (
  tx: Transaction,
  wave: OfWave,
  limits?: { quietSince: Date; begunBefore: Date },
): Promise<boolean> =>
  hasRows(
    tx
      .update(raidWaves)
      .set({ overAt: sql`clock_timestamp()` })
      .where(
        and(
          isWave(wave),
          isNull(overAt),
          limits && or(lt(lastJoinAt, limits.quietSince), lt(startedAt, limits.begunBefore)),
        ),
      )
      .returning({ incidentId }),
  );

/** Incidents whose wave is over, and about which nobody decided. */
export const listUndecided = (db: Queryable, before: Date, limit: number) =>
  db
    .select({ incidentId, accountId, serverId })
    .from(raidWaves)
    .innerJoin(incidents, eq(incidents.id, incidentId))
    .where(and(isNull(incidents.endedAt), isNull(raidWaves.decision), lt(overAt, before)))
    .limit(limit);

/** Those about which something is decided that is not done yet. */
export const listUnreviewed = (db: Queryable, limit: number) =>
  db
    .select({ incidentId, accountId })
    .from(raidWaves)
    .innerJoin(incidents, eq(incidents.id, incidentId))
    .where(and(isNull(incidents.endedAt), isNotNull(raidWaves.decision)))
    .limit(limit);

export const purgeWaves = purgeByServer(raidWaves, incidentId);
