import type { Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { timeOfEntry } from '../../../platform/audit-log.ts';
import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import type { Queue } from '../../../queue/queue.ts';
import { auditOpened } from '../contain/journal-stop.ts';
import type { ProtectionMetrics } from '../contain/metrics.ts';
import { containLater } from '../contain/queued.ts';
import { attachActs, attachActsOfKind, insertActs, listActsToJudge } from '../queries/acts.ts';
import { openIncident, storeFirstAct } from '../queries/containment.ts';
import { addExecutor } from '../queries/executors.ts';
import { deleteLosses } from '../queries/losses.ts';
import type { OfIncident } from '../queries/of-incident.ts';
import { pinBackup } from '../queries/pinned-backup.ts';
import { listLiveExecutors } from '../queries/watched.ts';
import { isSelfGiven, kindOf } from './classify.ts';
import { type GuardedServer, surroundingsOf } from './guarded-server.ts';
import {
  beginningOf,
  judgeAlone,
  judgeTogether,
  type SeenAct,
  type Verdict,
  watchedForMs,
} from './judge.ts';
import { type ActKind, atOnceKinds, isCounted, isWatched, watchedKinds } from './kinds.ts';
import { isOwnAct } from './own-acts.ts';
import { findRaiderRemovals } from './raider-removals.ts';
import { judgeSelfGivenLater } from './self-given/self-given-job.ts';
import { endExplained } from './unexplained/end-explained.ts';

export type IngestDependencies = {
  queue: Pick<Queue, 'enqueue'>;
  clock: Clock;
  protectionMetrics: ProtectionMetrics;
};

/** Stores what the audit log of a guild tells, each entry once, and judges who did it. */
export const ingestEntries = async (
  dependencies: IngestDependencies,
  tx: Transaction,
  server: GuardedServer,
  entries: readonly AuditLogEntry[],
): Promise<void> => {
  const acts: StoredAct[] = [];
  for (const entry of entries) {
    const { executorId } = entry;
    if (executorId === null) continue;
    const kind = await kindOfEntry(tx, server, entry);
    const { entryId, targetId } = entry;
    acts.push({ entry, executorId, kind, targetId, atMs: timeOfEntry(entryId) });
  }
  const isOfRaider = await findRaiderRemovals(tx, server, acts);
  const judged = acts.map((act) => (isOfRaider(act) ? { ...act, kind: 'other' as const } : act));
  const stored = await insertActs(
    tx,
    judged.map((act) => rowOf(server, act)),
  );
  const fresh = judged.filter(({ entry }) => stored.has(entry.entryId));
  // Of what is gone it is known now who did it.
  const deleted = fresh.filter(({ entry: { action } }) => /^(channel|role)Deleted$/.test(action));
  const explained = await deleteLosses(
    tx,
    server,
    deleted.flatMap(({ targetId }) => targetId ?? []),
  );
  for (const { kind } of fresh) dependencies.protectionMetrics.countAct(kind);
  await judgeActs(dependencies, tx, server, fresh);
  if (fresh.some(({ kind }) => kind === 'selfGiven')) {
    await judgeSelfGivenLater(dependencies.queue, tx, { ...server, settledId: null });
  }
  for (const incidentId of explained) {
    await endExplained(tx, dependencies, { accountId: server.accountId, incidentId });
  }
};

type StoredAct = SeenAct & { entry: AuditLogEntry };

/**
 * What our own jobs do is remembered but not judged. Another account can have a server for the same
 * guild, with a bot of its own: what its jobs do there is no attack either.
 */
const kindOfEntry = async (
  tx: Transaction,
  server: GuardedServer,
  entry: AuditLogEntry,
): Promise<ActKind> => {
  const known = surroundingsOf(server);
  const kind = kindOf(entry, known);
  if (kind === 'other') return kind;
  const { executorId } = entry;
  const ours = [server, ...server.otherBots].filter(({ botUserId }) => botUserId === executorId);
  for (const one of ours) {
    if (!(await isOwnAct(tx, one, { entry, kind }, known))) continue;
    return kind === 'demotions' ? 'ownDemotions' : 'other';
  }
  const isDoubtful = kind === 'dangerousGrants' && isSelfGiven(entry) && ours.length === 0;
  return isDoubtful ? 'selfGiven' : kind;
};

const rowOf = (
  { serverId, accountId, guildId }: GuardedServer,
  { entry, executorId, kind, atMs }: StoredAct,
) => {
  const { entryId, action, targetId, changes, options } = entry;
  const valuesOf = (half: 'before' | 'after') =>
    Object.fromEntries(changes.map((change) => [change.key, change[half]]));
  return {
    ...{ serverId, accountId, guildId, entryId, executorId, kind, action, targetId, options },
    ...{ before: valuesOf('before'), after: valuesOf('after'), at: new Date(atMs) },
  };
};

type Live = Awaited<ReturnType<typeof listLiveExecutors>>[number];

/** Judges those who did something new, and has those stopped who attack. */
export const judgeActs = async (
  dependencies: IngestDependencies,
  tx: Transaction,
  server: GuardedServer,
  fresh: readonly SeenAct[],
): Promise<void> => {
  if (fresh.length === 0) return;
  const live = await listLiveExecutors(tx, server, dependencies.clock.now());
  const goingOn = live.filter(({ platformId: id }) => fresh.some((act) => act.executorId === id));
  const verdicts = await verdictsOn(tx, server, fresh);
  const isLive = ({ executorId }: Verdict) => live.some((one) => one.platformId === executorId);
  const found = {
    ...{ fresh, goingOn, slow: verdicts.filter(({ kindFromMs }) => kindFromMs !== undefined) },
    verdicts: verdicts.filter((verdict) => !isLive(verdict)),
  };
  if (found.verdicts.length === 0 && goingOn.length === 0) return;
  await joinIncident(dependencies, tx, server, found);
};

/** What could have counted at once, had it been known who the owner is. */
export const judgeHeldBack = async (
  dependencies: IngestDependencies,
  tx: Transaction,
  server: GuardedServer,
): Promise<void> => {
  const since = new Date(dependencies.clock.now().getTime() - watchedForMs);
  const acts = await listActsToJudge(tx, server, { since, kinds: atOnceKinds });
  await judgeActs(
    dependencies,
    tx,
    server,
    acts.map(({ at, ...act }) => ({ ...act, atMs: at.getTime() })),
  );
};

const verdictsOn = async (
  tx: Transaction,
  server: GuardedServer,
  fresh: readonly SeenAct[],
): Promise<Verdict[]> => {
  const watched = fresh.filter(({ kind }) => isWatched(kind));
  if (watched.length === 0) return [];
  const since = new Date(Math.min(...watched.map(({ atMs }) => atMs)) - watchedForMs);
  const rows = await listActsToJudge(tx, server, { since, kinds: watchedKinds });
  const acts = rows.map(({ at, ...act }) => ({ ...act, atMs: at.getTime() }));
  const people = new Set(watched.map(({ executorId }) => executorId));
  const kinds = new Set(watched.map(({ kind }) => kind).filter(isCounted));
  const all = [
    ...[...people].flatMap((id) => judgeAlone(acts, server.guard, id) ?? []),
    ...[...kinds].flatMap((kind) => judgeTogether(acts, server.guard, kind)),
  ];
  const firsts = new Map(all.map((verdict) => [verdict.executorId, verdict]));
  return [...firsts.values()];
};

type Part = {
  fresh: readonly SeenAct[];
  verdicts: readonly Verdict[];
  /** Those of the incident that is live who did something more. */
  goingOn: readonly Live[];
  /** Slow attacks, also by those who were stopped as it arrived. */
  slow: readonly Verdict[];
};

const joinIncident = async (
  { queue, clock }: IngestDependencies,
  tx: Transaction,
  server: GuardedServer,
  { fresh, verdicts, goingOn, slow }: Part,
): Promise<void> => {
  const lastMs = Math.max(...fresh.map(({ atMs }) => atMs));
  const [first] = verdicts;
  const trigger = first
    ? { kind: first.kind, executorId: first.executorId }
    : { kind: 'other', executorId: goingOn[0]?.platformId ?? null };
  const { incidentId, isNew } = await openIncident(tx, {
    ...{ accountId: server.accountId, serverId: server.serverId, guildId: server.guildId },
    ...{ trigger, firstActAt: new Date(lastMs), detectedAt: clock.now() },
  });
  const owner = { accountId: server.accountId, incidentId };
  const toStop = [...verdicts.map(noticed), ...goingOn.filter((one) => needsStop(one, fresh))];
  for (const { platformId, actsFrom } of toStop) {
    await addExecutor(tx, owner, { platformId, actsFrom });
  }
  const attached = await attachAll(tx, server, owner, slow);
  // A bot that an attacker adds is the attacker.
  const added = attached.filter(
    (act) => act.kind === 'botAdds' && act.targetId !== server.botUserId,
  );
  for (const { targetId: platformId, at: actsFrom } of added) {
    if (platformId) await addExecutor(tx, owner, { platformId, isBot: true, actsFrom });
  }
  const watched = attached.filter(({ kind }) => isWatched(kind)).map(({ at }) => at.getTime());
  if (watched.length > 0) await storeFirstAct(tx, owner, new Date(Math.min(...watched)));
  await pinBackup(tx, owner);
  if (toStop.length + added.length > 0) await containLater(queue, tx, owner);
  if (isNew && first) await auditOpened(tx, server, owner, first);
};

const noticed = (verdict: Verdict) => ({
  platformId: verdict.executorId,
  actsFrom: beginningOf(verdict),
});

const attachAll = async (
  tx: Transaction,
  server: GuardedServer,
  owner: OfIncident,
  slow: readonly Verdict[],
) => {
  const attached = await attachActs(tx, owner);
  for (const { executorId, kind, kindFromMs = 0 } of slow) {
    const part = { executorId, kind, since: new Date(kindFromMs) };
    attached.push(...(await attachActsOfKind(tx, server, owner, part)));
  }
  return attached;
};

/** Whether they did something after they were stopped: somebody gave them power again. */
const needsStop = ({ platformId, status, code, stoppedAt }: Live, fresh: readonly SeenAct[]) => {
  if (status === 'pending' || code === 'OWNER' || code === 'OWN_TOKEN') return false;
  const stoppedMs = stoppedAt?.getTime() ?? 0;
  return fresh.some(
    ({ executorId, kind, atMs }) =>
      executorId === platformId && isWatched(kind) && atMs > stoppedMs,
  );
};
