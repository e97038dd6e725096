import {
  type NewcomerCode,
  type NewcomerStatus,
  newcomerStatuses,
  type PageQuery,
  type WaveDecision,
} from '@holdfast/contract';
import { and, asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../../db/connect.ts';
import { countRows, listPage } from '../../../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../../../db/queries/rows.ts';
import { members } from '../../../members/table.ts';
import { incidents, protectionSettings } from '../../table.ts';
import { raidNewcomers, raidWaves } from '../table.ts';
import type { OfWave } from './waves.ts';

const { accountId, incidentId, platformId, status, score } = raidNewcomers;

const isWave = (wave: OfWave) =>
  and(eq(raidWaves.incidentId, wave.incidentId), eq(raidWaves.accountId, wave.accountId));
const inWave = (wave: OfWave) =>
  and(eq(incidentId, wave.incidentId), eq(accountId, wave.accountId));

const waveFields = {
  serverId: raidWaves.serverId,
  startedAt: raidWaves.startedAt,
  lastJoinAt: raidWaves.lastJoinAt,
  overAt: raidWaves.overAt,
  minAccountAgeDays: raidWaves.minAccountAgeDays,
  joins: raidWaves.joins,
  newcomers: raidWaves.newcomers,
  decision: raidWaves.decision,
  decidedAt: raidWaves.decidedAt,
};

export const findWave = (db: Queryable, wave: OfWave) =>
  firstRow(db.select(waveFields).from(raidWaves).where(isWave(wave)));

/** With a number for every status. */
export const countByStatus = async (
  db: Queryable,
  wave: OfWave,
): Promise<Record<NewcomerStatus, number>> => {
  const rows = await db
    .select({ status, people: sql<number>`count(*)::int` })
    .from(raidNewcomers)
    .where(inWave(wave))
    .groupBy(status);
  const counts = new Map(rows.map((row) => [row.status, row.people]));
  // `fromEntries` forgets the names.
  return Object.fromEntries(newcomerStatuses.map((one) => [one, counts.get(one) ?? 0])) as Record<
    NewcomerStatus,
    number
  >;
};

export const listNewcomers = (
  db: Queryable,
  wave: OfWave,
  { isHeld, ...query }: PageQuery & { isHeld?: boolean | undefined },
) => {
  const isSeen = eq(status, 'seen');
  const which = isHeld === undefined ? undefined : isHeld ? sql`not ${isSeen}` : isSeen;
  const isWaiting = inArray(status, ['held', 'removing']);
  const where = and(inWave(wave), which);
  const { username, joinedAt, isYoung, hasPicture, isAlike, code } = raidNewcomers;
  return listPage(
    query,
    db
      .select({ platformId, username, joinedAt, isYoung, hasPicture, isAlike, score, status, code })
      .from(raidNewcomers)
      .where(where)
      // Whoever was spared or has left is no raider to decide about.
      .orderBy(desc(isWaiting), desc(score), asc(joinedAt), asc(platformId)),
    countRows(db, raidNewcomers, where),
  );
};

/** False where it was decided before. */
export const storeDecision = (
  tx: Transaction,
  wave: OfWave,
  decision: WaveDecision,
): Promise<boolean> =>
  hasRows(
    tx
      .update(raidWaves)
      .set({ decision, decidedAt: sql`clock_timestamp()` })
      .where(and(isWave(wave), isNull(raidWaves.decision)))
      .returning({ incidentId: raidWaves.incidentId }),
  );

/** Those who wait, in the order of their ids as numbers. */
export const listHeld = (db: Queryable, wave: OfWave, most: number) =>
  db
    .select({ platformId, status })
    .from(raidNewcomers)
    .where(and(inWave(wave), inArray(status, ['held', 'removing'])))
    .orderBy(sql`length(${platformId})`, asc(platformId))
    .limit(most);

export type HeldNewcomer = Awaited<ReturnType<typeof listHeld>>[number];

/** Of these people those whom the owner has reason to keep, and why. */
export const listKept = async (
  db: Queryable,
  wave: OfWave & { serverId: string },
  platformIds: string[],
): Promise<Map<string, NewcomerCode>> => {
  const verified = await db
    .selectDistinct({ platformId: members.platformId })
    .from(members)
    .where(
      and(
        eq(members.accountId, wave.accountId),
        inArray(members.platformId, platformIds),
        eq(members.blacklisted, false),
      ),
    );
  const settings = await firstRow(
    db
      .select({ trusted: protectionSettings.trusted })
      .from(protectionSettings)
      .where(
        and(
          eq(protectionSettings.serverId, wave.serverId),
          eq(protectionSettings.accountId, wave.accountId),
        ),
      ),
  );
  return new Map([
    ...(settings?.trusted ?? []).map((one) => [one.platformId, 'TRUSTED'] as const),
    ...verified.map((one) => [one.platformId, 'VERIFIED'] as const),
  ]);
};

type Settled = { status: NewcomerStatus; code?: NewcomerCode | null };

export const settleNewcomers = async (
  tx: Transaction,
  wave: OfWave & { serverId: string },
  platformIds: readonly string[],
  { status: to, code = null }: Settled,
): Promise<void> => {
  if (platformIds.length === 0) return;
  await tx
    .update(raidNewcomers)
    .set({ status: to, code })
    .where(and(inWave(wave), inArray(platformId, [...platformIds])));
  markChanged(tx, wave, 'incidents');
};

/** Some of those who wait are kept; returns how many. */
export const keepSome = async (tx: Transaction, wave: OfWave, most: number): Promise<number> => {
  const some = sql`array(select ctid from ${raidNewcomers}
    where ${and(inWave(wave), inArray(status, ['held', 'removing']))} limit ${most})`;
  const kept = await tx
    .update(raidNewcomers)
    .set({ status: 'kept' })
    .where(and(inWave(wave), sql`${raidNewcomers}.ctid = any(${some})`))
    .returning({ platformId });
  return kept.length;
};

type Person = { accountId: string; serverId: string; platformId: string };

/** Whether somebody waits for the owner's decision about a wave. */
export const isHeld = (db: Queryable, person: Person): Promise<boolean> =>
  hasRows(
    db
      .select({ platformId })
      .from(raidNewcomers)
      .innerJoin(incidents, eq(incidents.id, incidentId))
      .where(
        and(
          eq(raidNewcomers.serverId, person.serverId),
          eq(accountId, person.accountId),
          eq(platformId, person.platformId),
          inArray(status, ['held', 'removing']),
          isNull(incidents.endedAt),
        ),
      ),
  );
