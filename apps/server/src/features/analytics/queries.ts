import { blockReasons, funnelStages } from '@holdfast/contract';
import { and, eq, inArray, isNull, min, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { purgeByPlace } from '../../db/queries/purge-rows.ts';
import { servers } from '../servers/table.ts';
import { attempts } from '../verification/table.ts';
import { type Counts, counterOfReason, stagesFrom, type Window } from './rules.ts';
import { attemptCountries, attemptCountryHours, attemptHours, rollupMarks } from './table.ts';

type Server = { id: string; accountId: string };
type Period = { from: Date; to: Date };

const markName = 'attempts';
const maxCountries = 10;

const { serverId, startedAt, stage, blockReason, country } = attempts;

/** Every counter, and how it is counted from attempts. */
const counters: { name: keyof Counts; counted: SQL }[] = [
  ...funnelStages.map((name) => ({
    name,
    counted: sql`count(*) filter (where ${inArray(stage, stagesFrom(name))})`,
  })),
  ...blockReasons.map((reason) => ({
    name: counterOfReason[reason],
    counted: sql`count(*) filter (where ${eq(blockReason, reason)})`,
  })),
];

const forEachCounter = (write: (counter: (typeof counters)[number]) => SQL): SQL =>
  sql.join(counters.map(write), sql`, `);

const aliasOf = ({ name }: { name: string }) => sql.identifier(name);

/** A period's buckets in which there was anything, and the countries most attempts came from. */
type Counted = {
  buckets: (Counts & { atMs: number })[];
  countries: { country: string; attempts: number }[];
};

/**
 * What is counted already, and the attempts since. In one statement: between two of them the mark could
 * move, and attempts would be counted twice or not at all.
 */
export const countAttempts = async (
  db: Queryable,
  server: Server,
  window: Window,
): Promise<Counted> => {
  const [row] = await db.execute(sql`
    with live as materialized (${liveAttempts(server, window)}),
    hours as (${countedHours(server, window)}),
    sums as (
      select date_trunc(${window.bucket}, hour, 'UTC') as at,
        ${forEachCounter((counter) => sql`sum(${aliasOf(counter)}) as ${aliasOf(counter)}`)}
      from hours group by at
    ), buckets as (
      select (extract(epoch from at) * 1000)::bigint as "atMs",
        ${forEachCounter((counter) => sql`${aliasOf(counter)}`)} from sums
    ), places as (${countedCountries(server, window)}),
    countries as (
      select country, sum(attempts) as attempts from places group by country
      order by sum(attempts) desc, country collate "C" limit ${maxCountries}
    )
    select (select coalesce(json_agg(buckets), '[]') from buckets) as buckets,
      (select coalesce(json_agg(countries), '[]') from countries) as countries`);
  return { buckets: row?.buckets ?? [], countries: row?.countries ?? [] };
};

const owned = (server: Server) => sql`(
  select ${servers.id} from ${servers}
  where ${and(eq(servers.id, server.id), eq(servers.accountId, server.accountId))}
)`;

/** Attempts that no roll-up has counted; the bound is known before the index is read. */
const liveAttempts = (server: Server, { from, to }: Window): SQL => {
  const mark = sql`(select ${rollupMarks.until} from ${rollupMarks} where ${rollupMarks.name} = ${markName})`;
  return sql`
    select ${startedAt}, ${stage}, ${blockReason}, ${country} from ${attempts}
    where ${serverId} = ${server.id} and ${attempts.accountId} = ${server.accountId}
      and ${startedAt} >= greatest(${mark}, ${from}::timestamptz)
      and ${startedAt} < ${to}::timestamptz`;
};

const countedHours = (server: Server, { from, to }: Window): SQL => sql`
  select ${attemptHours.hour} as hour,
    ${forEachCounter((counter) => sql`${attemptHours[counter.name]} as ${aliasOf(counter)}`)}
  from ${attemptHours}
  where ${attemptHours.serverId} = ${owned(server)}
    and ${attemptHours.hour} >= ${from}::timestamptz and ${attemptHours.hour} < ${to}::timestamptz
  union all
  select date_trunc('hour', ${startedAt}, 'UTC'), ${forEachCounter(({ counted }) => counted)}
  from live as ${attempts} group by 1`;

/** Whole days where the period holds them, hours of the day in which it begins. */
const countedCountries = (server: Server, { from, to, wholeDaysFrom }: Window): SQL => {
  const { hour } = attemptCountryHours;
  const firstDay = wholeDaysFrom.toISOString().slice(0, 10);
  return sql`
    select ${attemptCountries.country} as country, ${attemptCountries.attempts} as attempts
    from ${attemptCountries}
    where ${attemptCountries.serverId} = ${owned(server)} and ${attemptCountries.day} >= ${firstDay}::date
    union all
    select ${attemptCountryHours.country}, ${attemptCountryHours.attempts} from ${attemptCountryHours}
    where ${attemptCountryHours.serverId} = ${owned(server)} and ${hour} >= ${from}::timestamptz
      and ${hour} < least(${wholeDaysFrom}::timestamptz, ${to}::timestamptz)
    union all
    select ${country}, count(*) from live as ${attempts} where ${country} is not null
    group by ${country}`;
};

/** Up to when attempts are counted; locked until the transaction ends: one worker at a time counts. */
export const lockRollupMark = async (tx: Transaction): Promise<Date> => {
  const epoch = new Date(0);
  await tx.insert(rollupMarks).values({ name: markName, until: epoch }).onConflictDoNothing();
  const [mark] = await tx
    .select({ until: rollupMarks.until })
    .from(rollupMarks)
    .where(eq(rollupMarks.name, markName))
    .for('update');
  return mark?.until ?? epoch;
};

export const moveRollupMark = async (tx: Transaction, until: Date) => {
  await tx.update(rollupMarks).set({ until }).where(eq(rollupMarks.name, markName));
};

export const findRollupMark = async (db: Queryable): Promise<Date | undefined> => {
  const [mark] = await db
    .select({ until: rollupMarks.until })
    .from(rollupMarks)
    .where(eq(rollupMarks.name, markName));
  return mark?.until;
};

const inPeriod = ({ from, to }: Period): SQL =>
  sql`${startedAt} >= ${from}::timestamptz and ${startedAt} < ${to}::timestamptz`;

/** When the first attempt of a period began, of any server. */
export const findFirstAttempt = async (db: Queryable, period: Period): Promise<Date | null> => {
  const [first] = await db
    .select({ at: min(startedAt) })
    .from(attempts)
    .where(inPeriod(period));
  return first?.at ?? null;
};

/** Adds an hour to the counts. The mark is locked and moves with it, so each hour is added once. */
export const countHour = async (tx: Transaction, hour: Period) => {
  await lockServers(tx, hour);
  const ofHour = sql`
    from ${attempts} join ${servers} on ${servers.id} = ${serverId} and ${servers.deletedAt} is null
    where ${inPeriod(hour)}`;
  const byCountry = sql`${ofHour} and ${country} is not null group by ${serverId}, ${country}`;
  await tx.insert(attemptHours).select(sql`
    select ${serverId}, ${hour.from}::timestamptz, ${forEachCounter(({ counted }) => counted)}
    ${ofHour} group by ${serverId}`);
  await tx.insert(attemptCountryHours).select(sql`
    select ${serverId}, ${hour.from}::timestamptz, ${country}, count(*) ${byCountry}`);
  const { serverId: id, day, country: code, attempts: total } = attemptCountries;
  await tx
    .insert(attemptCountries)
    .select(sql`
      select ${serverId}, (${hour.from}::timestamptz at time zone 'UTC')::date, ${country}, count(*)
      ${byCountry}`)
    .onConflictDoUpdate({
      target: [id, day, code],
      set: { attempts: sql`${total} + excluded.attempts` },
    });
};

/** No purge can delete one of them meanwhile; a server that is marked deleted is not counted. */
const lockServers = async (tx: Transaction, hour: Period) => {
  const withAttempts = tx.select({ serverId }).from(attempts).where(inPeriod(hour));
  await tx
    .select({ id: servers.id })
    .from(servers)
    .where(and(inArray(servers.id, withAttempts), isNull(servers.deletedAt)))
    .for('key share');
};

const purgers = [attemptHours, attemptCountryHours, attemptCountries].map(purgeByPlace);

/** Rows of a server that is marked deleted are not updated any more, so they can be found by place. */
export const purgeAnalytics = async (
  tx: Transaction,
  deletedServerId: string,
  limit: number,
): Promise<number> => {
  for (const purge of purgers) {
    const deleted = await purge(tx, deletedServerId, limit);
    if (deleted > 0) return deleted;
  }
  return 0;
};
