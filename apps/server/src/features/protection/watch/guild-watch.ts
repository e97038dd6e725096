import type { Log } from '../../../kernel/log.ts';
import { timeOfEntry } from '../../../platform/audit-log.ts';
import type { AuditLogEntry, GuildEvent } from '../../../platform/gateway/events.ts';
import { createFastStopper, type FastStopDependencies } from '../contain/fast-stop.ts';
import { listEntriesOfIncidents } from '../queries/acts.ts';
import { findGuarded, type InGuild, listLiveExecutors } from '../queries/watched.ts';
import { createActMemory } from './act-memory.ts';
import { givenRoleIds, isSelfGiven, kindOf } from './classify.ts';
import {
  type GuardedServer,
  guardedServerOf,
  surroundingsOf,
  withEvent,
} from './guarded-server.ts';
import { judgeAlone, judgeTogether, type SeenAct, type Verdict, watchedForMs } from './judge.ts';
import { isCounted, isWatched, type WatchedKind } from './kinds.ts';
import { findRaiderRemovals, isRemoval } from './raider-removals.ts';
import { mayGiveRoles } from './self-given/power-before.ts';

export type GuildWatchDependencies = FastStopDependencies & {
  log: Log;
  /** What was told of a guild a moment ago, oldest first: what is loaded may be older. */
  heardOf(inGuild: InGuild): readonly GuildEvent[];
};
export type GuildWatch = ReturnType<typeof watchGuild>;

/** Settings that the owner changed hold after so long at the latest. */
const freshMs = 5000;
/** Older than this, not even a first look is taken by what was loaded. */
const usableMs = 60 * 60 * 1000;
/** Events keep true what was read ahead; now and then it is read again all the same. */
const preparedForMs = 60 * 60 * 1000;
const mostWaiting = 1000;

type JudgedAct = {
  executorId: string;
  kind: WatchedKind;
  atMs: number;
  targetId: string | null;
};

/** Whatever somebody does again after a stop counts, and what is not about people is clear. */
const restsOnRemovals = ({ kind, rule }: Verdict): boolean =>
  rule !== 'again' && (isRemoval(kind) || rule === 'mixed');

/** One guild's acts as they arrive. Nothing is asked or stored of a guild that is not protected. */
export const watchGuild = (dependencies: GuildWatchDependencies, inGuild: InGuild) => {
  const { db, clock, log } = dependencies;
  const memory = createActMemory();
  const stopper = createFastStopper(dependencies, inGuild);
  let server: GuardedServer | undefined;
  let live: ReadonlySet<string> = new Set();
  let loadedAt = Number.NEGATIVE_INFINITY;
  let preparedAt = Number.NEGATIVE_INFINITY;
  let heardAt = performance.now();
  let isLoading = false;
  let knowsIncidents = false;
  const waiting: AuditLogEntry[] = [];
  /** Acts that would be an attack by old settings, which are just being loaded again. */
  const undecided: JudgedAct[] = [];
  /** Acts that are an attack unless those who were sent away came with a raid. */
  const disputed: JudgedAct[] = [];

  const isFresh = () => performance.now() - loadedAt < freshMs;
  const load = async () => {
    const [row, executors] = await Promise.all([
      findGuarded(db, inGuild),
      listLiveExecutors(db, inGuild, clock.now()),
    ]);
    server = row && dependencies.heardOf(inGuild).reduce(withEvent, guardedServerOf(row));
    live = new Set(executors.map(({ platformId }) => platformId));
    if (row && !knowsIncidents) {
      const since = new Date(clock.now().getTime() - watchedForMs);
      memory.know(await listEntriesOfIncidents(db, row, since));
      knowsIncidents = true;
    }
    loadedAt = performance.now();
    // Only a bot that is told of members can keep true what it read of them.
    const hearsMembers = row?.intents?.includes('GUILD_MEMBERS') ?? false;
    if (!hearsMembers) forgetPeople();
    else if (loadedAt - preparedAt > preparedForMs) {
      preparedAt = loadedAt;
      stopper.prepare();
    }
  };
  const forgetPeople = () => {
    preparedAt = Number.NEGATIVE_INFINITY;
    stopper.forget();
  };
  const reload = () => {
    if (isLoading) return;
    isLoading = true;
    const loading = load()
      .catch((err) => log.warn({ err, ...inGuild }, 'a guild could not be watched as acts arrive'))
      .finally(() => {
        isLoading = false;
        for (const act of undecided.splice(0)) decide(act);
        for (const entry of waiting.splice(0)) judge(entry);
      });
    dependencies.onWork(loading);
  };
  const judge = (entry: AuditLogEntry) => {
    const { executorId, targetId, entryId } = entry;
    if (!server || executorId === null) return;
    // What bots of ours do is looked at with their jobs, from what is stored.
    if ([server, ...server.otherBots].some(({ botUserId }) => botUserId === executorId)) return;
    if (entry.action === 'memberRolesChanged' && targetId) stopper.lookAgain(targetId);
    const kind = kindOf(entry, surroundingsOf(server));
    if (!isWatched(kind)) return;
    const act = { executorId, kind, targetId, atMs: timeOfEntry(entryId) };
    if (kind === 'dangerousGrants' && isSelfGiven(entry) && !live.has(executorId)) {
      return settleSelfGiven(server, entry, act);
    }
    if (memory.add(entryId, act)) decide(act);
  };
  /** Who has no power to give roles was given them by the onboarding, or is left to what is stored. */
  const settleSelfGiven = (guarded: GuardedServer, entry: AuditLogEntry, act: JudgedAct) => {
    stopper.arm(guarded, act.executorId, ({ plan: { held } }) => {
      const given = givenRoleIds(entry);
      const others = [inGuild.guildId, ...held].filter((id) => !given.includes(id));
      const mayGive = mayGiveRoles(others, guarded.roles ?? new Map());
      if (mayGive && memory.add(entry.entryId, act)) decide(act);
    });
  };
  const decide = (act: JudgedAct, cleared?: readonly SeenAct[]) => {
    if (!server) return;
    const { executorId, kind, targetId, atMs } = act;
    const verdicts = verdictsOn(server, act, cleared ?? memory.all());
    if (!cleared && verdicts.some(restsOnRemovals)) return dispute(act);
    const isOld = isLoading && !isFresh();
    if (verdicts.length === 0 || isOld) stopper.arm(server, executorId);
    if (verdicts.length > 0 && isOld) return void undecided.push(act);
    for (const verdict of verdicts) stop(server, verdict);
    const isAdded = kind === 'botAdds' && targetId !== null && targetId !== server.botUserId;
    // A bot that an attacker adds is the attacker.
    if (isAdded && verdicts.length > 0) {
      stop(server, { executorId: targetId, kind, rule: 'atOnce', fromMs: atMs });
    }
  };
  const dispute = (act: JudgedAct) => {
    disputed.push(act);
    if (disputed.length > 1) return;
    const settling = settleDisputed().catch((err) => {
      disputed.length = 0;
      log.warn({ err, ...inGuild }, 'bans and kicks are left to what is stored');
    });
    dependencies.onWork(settling);
  };
  /** Only the database knows who came with a raid. What comes meanwhile is looked at after that. */
  const settleDisputed = async () => {
    while (server && disputed.length > 0) {
      const [seen, count] = [[...memory.all()], disputed.length];
      const isOfRaider = await findRaiderRemovals(db, server, seen);
      memory.forget(isOfRaider);
      const cleared = seen.filter((act) => !isOfRaider(act));
      for (const act of disputed.splice(0, count)) if (!isOfRaider(act)) decide(act, cleared);
    }
  };
  const verdictsOn = (
    { guard }: GuardedServer,
    { executorId, kind, atMs }: SeenAct & { kind: WatchedKind },
    acts: readonly SeenAct[],
  ): Verdict[] => {
    if (live.has(executorId)) return [{ executorId, kind, rule: 'again', fromMs: atMs }];
    const alone = judgeAlone(acts, guard, executorId);
    const together = isCounted(kind) ? judgeTogether(acts, guard, kind) : [];
    return alone
      ? [alone, ...together.filter((other) => other.executorId !== executorId)]
      : together;
  };
  const stop = (guarded: GuardedServer, verdict: Verdict) => {
    memory.release(verdict.executorId);
    live = new Set([...live, verdict.executorId]);
    const firstActAt = new Date(verdict.kindFromMs ?? verdict.fromMs);
    stopper.stop(guarded, { verdict, firstActAt, detectedAt: clock.now() });
  };

  return {
    /** False where too many wait. */
    hear(entry: AuditLogEntry): boolean {
      heardAt = performance.now();
      if (!isFresh()) reload();
      const isUsable = server !== undefined && heardAt - loadedAt < usableMs;
      if ((isUsable || !isLoading) && waiting.length === 0) {
        judge(entry);
        return true;
      }
      if (waiting.length >= mostWaiting) return false;
      waiting.push(entry);
      return true;
    },
    learn(event: GuildEvent): void {
      server = server && withEvent(server, event);
      stopper.learn(event);
    },
    forgetPeople,
    /** A session begins, or goes on here: what is known of people is read again. */
    prepare(): void {
      forgetPeople();
      knowsIncidents = false;
      reload();
    },
    /** Nothing of it is needed as long as nothing happens in it. */
    isIdle: (forMs: number): boolean =>
      performance.now() - heardAt > forMs && preparedAt === Number.NEGATIVE_INFINITY,
  };
};
