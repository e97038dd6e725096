import type { Transaction } from '../../../../db/connect.ts';
import { askedWaitMs } from '../../../../kernel/patience.ts';
import { entryIdAt } from '../../../../platform/audit-log.ts';
import { PlatformFailure } from '../../../../platform/failures.ts';
import { recordAudit } from '../../../audit/queries.ts';
import { systemActor } from '../../../audit/rules.ts';
import { BotUnusable, useBot } from '../../../bots/use/use-bot.ts';
import { lockServer } from '../../../servers/queries.ts';
import { containLater } from '../../contain/queued.ts';
import { openIncident, storeFirstAct } from '../../queries/containment.ts';
import {
  attachLosses,
  countRemovedMembers,
  deleteLosses,
  kindOfLoss,
  type Loss,
  listLosses,
} from '../../queries/losses.ts';
import { listDeletedByRestores } from '../../queries/own-restores.ts';
import { pinBackup } from '../../queries/pinned-backup.ts';
import { findGuarded } from '../../queries/watched.ts';
import { type GuardedServer, guardedServerOf } from '../guarded-server.ts';
import { watchedForMs } from '../judge.ts';
import { type LookDependencies, readMissed } from '../look-at-guild.ts';
import { type ExplainLosses, explainLater } from './losses-job.ts';
import { massOf } from './mass-of.ts';

/** A quarter of an hour: a log that is silent for longer tells nothing that helps any more. */
const maxRounds = 15;
/** The platform's clock and ours may differ. */
const beforeLossMs = 60_000;

/**
 * Channels or roles are gone, and the audit log did not tell by whom. It is asked now, and each minute for a
 * while. Where it does not explain as much as an attack takes, an incident is opened without anybody known:
 * invites are paused, the guild is backed up, the owner is told. Whoever the log names later is stopped as ever.
 * A platform that fails does not decline to tell: the first time it is asked once more.
 */
export const explain = async (
  dependencies: LookDependencies,
  given: ExplainLosses,
  signal: AbortSignal,
): Promise<void> => {
  const { db, queue, clock } = dependencies;
  const since = new Date(clock.now().getTime() - watchedForMs);
  const row = await findGuarded(db, given);
  const [first] = row ? await listLosses(db, row, since) : [];
  if (!first) return;
  const afterEntryId = firstUnread(first, [given.afterEntryId, row?.lastEntryId]);
  const hasFailed = await askLog(dependencies, { ...given, afterEntryId }, signal);
  if (hasFailed && given.round === 0 && !given.isRepeated) {
    return db.transaction((tx) => explainLater(queue, tx, { ...given, isRepeated: true }));
  }
  await db.transaction(async (tx) => {
    await lockServer(tx, given);
    const present = await findGuarded(tx, given);
    if (!present) return;
    const isLeft = await settleLosses(dependencies, tx, guardedServerOf(present), since);
    const round = given.round + 1;
    if (isLeft && round < maxRounds) await explainLater(queue, tx, { ...given, round });
  });
};

/**
 * A loss is heard of long after it where there was no connection; what was heard of the log ends before. Of
 * what was heard when the loss was found and what was since, the older: between them nothing was read.
 */
const firstUnread = ({ at }: Loss, heard: readonly (string | null | undefined)[]): string =>
  heard.reduce<string>(
    (oldest, id) => (id && BigInt(id) < BigInt(oldest) ? id : oldest),
    entryIdAt(new Date(at.getTime() - beforeLossMs)),
  );

/**
 * What it tells is stored and judged as if it had been heard, and takes the place of the losses. True where the
 * platform failed to answer.
 */
const askLog = async (
  dependencies: LookDependencies,
  given: ExplainLosses & { afterEntryId: string },
  signal: AbortSignal,
): Promise<boolean> => {
  try {
    await useBot(dependencies, given, (bot) => {
      const calls = bot.guild(given.guildId, { signal, attempts: 1, isUrgent: true });
      return readMissed(dependencies, given, calls);
    });
    return false;
  } catch (error) {
    // It is only too early to ask: the job is run again, and nothing is known yet.
    if (askedWaitMs(error) !== undefined) throw error;
    if (!(error instanceof PlatformFailure) && !(error instanceof BotUnusable)) throw error;
    signal.throwIfAborted();
    const { serverId } = given;
    dependencies.log.info({ err: error, serverId }, 'the audit log could not be asked for losses');
    return error instanceof PlatformFailure && (error.status ?? 0) >= 500;
  }
};

/** True where somebody may still be told of. */
const settleLosses = async (
  dependencies: LookDependencies,
  tx: Transaction,
  server: GuardedServer,
  since: Date,
): Promise<boolean> => {
  // Whoever stores what the log tells waits: an incident is not opened for what it has explained meanwhile.
  const losses = await listLosses(tx, server, since).for('update');
  const known = losses.filter(({ incidentId }) => incidentId !== null);
  const fresh = await withoutOwn(
    tx,
    server,
    losses.filter(({ incidentId }) => incidentId === null),
  );
  const [first] = fresh;
  if (!first) return known.length > 0;
  const removed = await countRemovedMembers(
    tx,
    server,
    new Date(first.at.getTime() - beforeLossMs),
  );
  const mass = massOf(fresh, server.guard.thresholds, removed);
  if (mass.length === 0 && known.length === 0) return false;
  await openForNobody(dependencies, tx, server, known.length > 0 ? fresh : mass);
  return true;
};

/** Without what a restore of this server has deleted, or of another server for the same guild. */
const withoutOwn = async (
  tx: Transaction,
  server: GuardedServer,
  losses: readonly Loss[],
): Promise<Loss[]> => {
  const ids = losses.map(({ id }) => id);
  const own = await listDeletedByRestores(tx, server, [server, ...server.otherBots], ids);
  await deleteLosses(tx, server, own);
  return losses.filter(({ id }) => !own.includes(id));
};

const openForNobody = async (
  { queue, clock }: LookDependencies,
  tx: Transaction,
  server: GuardedServer,
  losses: readonly Loss[],
): Promise<void> => {
  const [first] = losses;
  if (!first) return;
  const { accountId, serverId, guildId } = server;
  const kind = kindOfLoss(first);
  const { incidentId, isNew } = await openIncident(tx, {
    ...{ accountId, serverId, guildId, trigger: { kind, executorId: null } },
    ...{ firstActAt: first.at, detectedAt: clock.now() },
  });
  const owner = { accountId, incidentId };
  await attachLosses(tx, server, owner, losses);
  await storeFirstAct(tx, owner, first.at);
  await pinBackup(tx, owner);
  await containLater(queue, tx, owner);
  if (!isNew) return;
  await recordAudit(tx, {
    ...{ accountId, actor: systemActor, action: 'incident.open' },
    subject: { type: 'incident', id: incidentId },
    changes: { serverId, kind, rule: 'unexplained' },
  });
};
