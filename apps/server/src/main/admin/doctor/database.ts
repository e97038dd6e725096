import packageJson from 'pg-boss/package.json';
import type { Database } from '../../../db/connect.ts';
import { splitHosts } from '../../../db/database-url.ts';
import { listAppliedMigrations } from '../../../db/queries.ts';
import { listAppliedSteps } from '../../../db/steps/queries.ts';
import { readMigrations } from '../../../db/steps/read-migrations.ts';
import { type Check, judgeClock, ok, problem, type Verdict, warning } from './finding.ts';
import {
  countConnections,
  describeReplication,
  describeServer,
  findQueueVersion,
  listMissingRights,
} from './queries.ts';

/** Throws `NotChecked` where the database does not answer. */
export type OpenDatabase = () => Promise<Database>;

type Server = Awaited<ReturnType<typeof describeServer>>;

export const databaseChecks = (
  open: OpenDatabase,
  { url, dbPool }: { url: string | undefined; dbPool: number },
): Check[] => [
  { name: 'encryption', run: async () => [judgeEncryption(await describe(open), url)] },
  { name: 'rights', run: async () => [await checkRights(await open(), url === undefined)] },
  { name: 'migrations', run: async () => [await checkMigrations(await open())] },
  { name: 'connections', run: async () => [await checkConnections(await open(), dbPool)] },
  { name: 'standby', run: async () => [await checkStandby(await open())] },
  { name: 'clock', run: async () => [await checkClock(await open())] },
];

const describe = async (open: OpenDatabase) => describeServer(await open());

const supported = { oldest: 15, newest: 18 };

export const judgeServer = ({ version, major, missingExtensions, ...server }: Server): Verdict => {
  const { oldest, newest } = supported;
  if (major < oldest) {
    return problem(`PostgreSQL ${version}`, `Upgrade it: ${oldest} to ${newest} are supported.`);
  }
  if (server.isStandby) {
    return problem(
      `PostgreSQL ${version} is a standby, which takes no writes`,
      'Let DATABASE_URL lead to the primary.',
    );
  }
  if (missingExtensions.length > 0) {
    return warning(
      `PostgreSQL ${version} lacks ${missingExtensions.join(' and ')}`,
      'Start the service or run "admin migrate": the first migration creates them.',
    );
  }
  return major > newest
    ? warning(`PostgreSQL ${version}`, `It is newer than what is tested (${oldest} to ${newest}).`)
    : ok(`PostgreSQL ${version} answers`);
};

const localHosts = ['', 'localhost', '127.0.0.1', '[::1]'];

const judgeEncryption = ({ isEncrypted }: Server, url: string | undefined): Verdict => {
  const [first] = splitHosts(url ?? 'postgres://localhost');
  const { hostname, searchParams } = new URL(first);
  if (url === undefined || localHosts.includes(hostname) || hostname.startsWith('%2F')) {
    return ok('the database is on this machine');
  }
  const mode = searchParams.get('sslmode') ?? 'prefer';
  if (isEncrypted !== true) {
    return warning(
      `the connection to ${hostname} is not encrypted (sslmode=${mode})`,
      'Switch TLS on in PostgreSQL and set sslmode=verify-full in DATABASE_URL.',
    );
  }
  return mode.startsWith('verify')
    ? ok(`encrypted, and the certificate is verified (sslmode=${mode})`)
    : warning(
        `encrypted, but anybody could answer as ${hostname} (sslmode=${mode})`,
        'Set sslmode=verify-full in DATABASE_URL, with sslrootcert for a certificate of your own.',
      );
};

const mostListed = 3;

const checkRights = async (db: Database, isEmbedded: boolean): Promise<Verdict> => {
  const { role, isSuperuser } = await describeServer(db);
  const lacking = await listMissingRights(db);
  if (lacking.length > 0) {
    const some = lacking
      .slice(0, mostListed)
      .map(({ name, lacks }) => `${lacks.join(', ')} on ${name}`);
    const more = lacking.length - some.length;
    return problem(
      `the role ${role} lacks ${some.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
      'Grant what "Two roles" in docs/operations.md lists, as the owner of the tables.',
    );
  }
  return isSuperuser && !isEmbedded
    ? warning(
        `the role ${role} is a superuser`,
        'Give the service a role of its own, as "Two roles" in docs/operations.md describes.',
      )
    : ok(`the role ${role} may read and write every table`);
};

const checkMigrations = async (db: Database): Promise<Verdict> => {
  const { migrations, current } = readMigrations();
  const known = migrations.map(({ writtenAt }) => writtenAt);
  const steps = await listAppliedSteps(db);
  const applied = [...(await listAppliedMigrations(db)), ...steps.map((step) => step.writtenAt)];
  const later = steps.filter(({ writtenAt }) => !known.includes(writtenAt));
  const allowed = later.filter((step) => step.lowestGeneration <= current.generation);
  const survived = new Set(allowed.map(({ writtenAt }) => writtenAt));
  const unknown = new Set(applied.filter((one) => !known.includes(one) && !survived.has(one)));
  const pending = known.filter((one) => !applied.includes(one)).length;
  const queueVersion = await findQueueVersion(db);
  const ofQueue = packageJson.pgboss.schema;
  if (unknown.size > 0 || (queueVersion ?? 0) > ofQueue) {
    return problem(
      `${unknown.size} migrations of the database are unknown to this version`,
      'Run the version that made them; doctor must be of the same version as the service.',
    );
  }
  if (pending > 0 || (queueVersion ?? 0) < ofQueue) {
    const what = pending > 0 ? `${pending} migrations wait` : "the queue's tables are older";
    return warning(what, 'Start this version, or run "admin migrate" with the owner\'s role.');
  }
  const ahead = later.length > 0 ? `, and ${later.length} of a later version, which only add` : '';
  return ok(`all ${known.length} are applied${ahead}, and the queue's tables are of this version`);
};

/** What the largest process opens beside its pool: `ROLE=all`. */
const besidePool = 11;

const checkConnections = async (db: Database, dbPool: number): Promise<Verdict> => {
  const { allowed, used, processes, roleLimit, databaseLimit } = await countConnections(db);
  const limits = [allowed, roleLimit, databaseLimit].filter((limit) => limit >= 0);
  const most = Math.min(...limits);
  const running = Math.max(1, processes);
  const needed = running * (dbPool + besidePool);
  const who = running === 1 ? 'one process' : `${running} processes`;
  const detail = `${who} may open ${needed} of ${most} connections (${used} are open now)`;
  return needed > most
    ? problem(
        detail,
        'Raise max_connections (or the limit of the role or database), or lower DB_POOL.',
      )
    : ok(detail);
};

const mostLagBytes = 64 * 1024 * 1024;

const checkStandby = async (db: Database): Promise<Verdict> => {
  if ((await describeServer(db)).isStandby) return ok('this is a standby');
  const { waitsForStandby, standbys } = await describeReplication(db);
  const isSynchronous = standbys.some(({ syncState }) => /^(sync|quorum)$/.test(syncState ?? ''));
  const isHidden = standbys.some(({ syncState }) => syncState === null);
  if (waitsForStandby && !isSynchronous && !isHidden) {
    return problem(
      'synchronous_standby_names is set and no such standby is connected: every commit waits',
      'Bring the standby back, or empty synchronous_standby_names until it is.',
    );
  }
  const late = standbys.filter(({ lagBytes }) => (lagBytes ?? 0) > mostLagBytes);
  if (late.length > 0) {
    return warning(
      `${late.map(({ name }) => name).join(', ')} lags behind by more than 64 MiB`,
      'Look at its network and disk: after a failover the rest would be lost or late.',
    );
  }
  if (standbys.length === 0) return ok('none is connected; where you have one, it is cut off');
  const how = isSynchronous ? 'synchronous' : 'asynchronous';
  return ok(`${standbys.length} connected, ${isHidden ? 'state not visible to the role' : how}`);
};

const checkClock = async (db: Database): Promise<Verdict> => {
  const startedAt = Date.now();
  const { nowMs } = await describeServer(db);
  const endedAt = Date.now();
  const tookMs = endedAt - startedAt;
  return judgeClock('the database', nowMs - (startedAt + tookMs / 2), tookMs / 2);
};
