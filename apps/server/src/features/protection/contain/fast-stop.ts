import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import { type ArmedRoles, type InGuild, storeArmed } from '../queries/watched.ts';
import type { Verdict } from '../watch/judge.ts';
import { createPowerRoster } from '../watch/power-roster.ts';
import { beginStop, endStop } from './journal-stop.ts';
import type { ProtectionMetrics } from './metrics.ts';
import {
  callStop,
  readAllMembers,
  readSeenGuild,
  readStopTarget,
  type SeenGuild,
  type StopTarget,
} from './stop-call.ts';

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export type FastStopDependencies = BotDependencies & {
  clock: Clock;
  log: Log;
  protectionMetrics: ProtectionMetrics;
  /** Bounds how many people of one bot's guilds are looked at, and how many stopped, at once. */
  turnsOf(botId: string): { look: InTurn; stop: InTurn };
  /** Bounds how many guilds of the process are read ahead at once. */
  prepareInTurn: InTurn;
  /** Told of work that goes on behind the events, which never rejects. */
  onWork(work: Promise<void>): void;
};

type Server = { serverId: string; accountId: string; guildId: string };
type Detected = { verdict: Verdict; firstActAt: Date; detectedAt: Date };
type Armed = { target: StopTarget; at: number };

/** What a process knows of somebody who does something in a watched guild. */
type Watched = {
  armed: Armed | undefined;
  arming: Promise<StopTarget | undefined> | undefined;
  /** As they were last stored. */
  stored: Armed | undefined;
  /** What another process had stored of them, or this one before a stop that failed. */
  storedBefore: ArmedRoles | undefined;
  stoppedAt: number | undefined;
  isStopping: boolean;
};

/** So long what was read of a guild or a member counts, unless an event says that it changed. */
const freshMs = 5000;
/** Less than the containment looks back for what was stored. */
const storedCountsMs = 5 * 60 * 1000;
const callsWithinMs = 10_000;
const preparedWithinMs = 60_000;
/** What arrives so soon after a stop was on its way before. */
const inFlightMs = 2000;
const mostPeople = 500;

/**
 * Stops people of one guild in a hurry. Who has power is known ahead where the bot hears of members, else
 * read at somebody's first act. With that act they are armed: stored as they are, so that when the verdict
 * comes nothing is left to do but the one call. The journal is written at the same time, because what the
 * person had is stored already, at the latest right before the call. Whatever fails here is left to the
 * containment, which finds the acts and what was armed.
 */
export const createFastStopper = (dependencies: FastStopDependencies, inGuild: InGuild) => {
  const { db, log, protectionMetrics: metrics, prepareInTurn } = dependencies;
  const turns = dependencies.turnsOf(inGuild.botId);
  const roster = createPowerRoster(inGuild.guildId);
  const people = new Map<string, Watched>();
  let seen: { at: number; reading: Promise<SeenGuild> } | undefined;
  let platform: BotPlatform | undefined;

  const watched = (id: string): Watched => {
    const known = people.get(id);
    if (known) return known;
    const [oldest] = people.keys();
    if (people.size >= mostPeople && oldest !== undefined) people.delete(oldest);
    const fresh = { ...unknownPerson };
    people.set(id, fresh);
    return fresh;
  };
  /** Kept while it works: a bot that is switched off or has another token is connected anew. */
  const usePlatform = async (): Promise<BotPlatform> => {
    const { botId, accountId } = inGuild;
    platform ??= await useBot(dependencies, { botId, accountId }, async (one) => one);
    return platform;
  };
  const readSeen = (bot: BotPlatform, signal: AbortSignal): Promise<SeenGuild> => {
    if (!isFresh(seen)) {
      const reading = readSeenGuild(bot, inGuild, { signal, isUrgent: true });
      seen = { at: performance.now(), reading };
    }
    const { reading } = seen;
    reading.catch(() => {
      if (seen?.reading === reading) seen = undefined;
    });
    return reading;
  };
  const readTarget = async (id: string): Promise<Armed | undefined> => {
    const at = performance.now();
    const known = roster.find(id);
    if (known) return { target: known, at };
    const bot = await usePlatform();
    const signal = AbortSignal.timeout(callsWithinMs);
    const target = await readStopTarget(bot, inGuild, id, { seen: readSeen(bot, signal), signal });
    return target && { target, at };
  };
  const store = async (server: Server, person: Watched, armed: Armed): Promise<void> => {
    if (isStored(person, armed)) return;
    const both = await storeArmed(db, armedRowOf(server, armed.target));
    person.storedBefore = person.stored ? undefined : both;
    person.stored = armed;
  };
  const arm = async (server: Server, id: string): Promise<StopTarget | undefined> => {
    const armed = await readTarget(id);
    const person = watched(id);
    person.armed = armed;
    if (armed) await store(server, person, armed);
    return armed?.target;
  };
  const stop = async (server: Server, { verdict, ...when }: Detected): Promise<void> => {
    const { executorId } = verdict;
    const person = watched(executorId);
    await person.arming;
    const armed = isFresh(person.armed) ? person.armed : await readTarget(executorId);
    person.armed = undefined;
    if (!armed || (verdict.rule === 'again' && isPowerless(armed))) return;
    const bot = await usePlatform();
    const { target } = armed;
    const signal = AbortSignal.timeout(callsWithinMs);
    await store(server, person, armed);
    // The call leaves first: the journal takes several statements, and waits for others who write it.
    const calling = callStop(bot, inGuild, target, signal);
    const noted = { target, armed: person.storedBefore };
    const journal = beginStop(dependencies, server, { verdict, ...when }, noted);
    // Both are awaited, whichever fails.
    const [begun] = await Promise.allSettled([journal, calling]);
    const outcome = await calling;
    metrics.countStop(outcome);
    metrics.observeStop(dependencies.clock.now().getTime() - when.firstActAt.getTime());
    if (begun.status === 'rejected') throw begun.reason;
    await db.transaction((tx) => endStop(tx, begun.value, target, outcome));
  };
  const readRoster = async () => {
    platform = undefined;
    const bot = await usePlatform();
    const signal = AbortSignal.timeout(preparedWithinMs);
    const [read, members = []] = await Promise.all([
      // Read ahead, it may wait: nobody who is to be stopped waits for this one.
      readSeenGuild(bot, inGuild, { signal }),
      readAllMembers(bot, inGuild, signal),
    ]);
    return { seen: read, members };
  };
  const begin = (server: Server, id: string, person: Watched) => {
    person.arming = turns
      .look(() => arm(server, id))
      .catch((err) => {
        platform = undefined;
        log.info({ err, ...inGuild }, 'somebody who acts could not be looked at');
        return undefined;
      })
      .finally(() => {
        person.arming = undefined;
      });
    return person.arming;
  };
  const outdate = (event: GuildEvent) => {
    if (event.kind === 'memberChanged') Object.assign(people.get(event.userId) ?? {}, noArm);
    else if (event.kind === 'roleDeleted') dropRole(people, event.roleId);
    // A new role is nobody's yet, and who comes or goes is read when they act.
    else if (outdatesAll.has(event.kind)) {
      seen = undefined;
      for (const person of people.values()) person.armed = undefined;
    }
  };

  return {
    /** Reads who has power ahead, and keeps that true by the events that follow. */
    prepare(): void {
      seen = undefined;
      roster.forget();
      const preparing = prepareInTurn(() => roster.fill(readRoster)).catch((err) =>
        log.info({ err, ...inGuild }, 'who has power could not be read ahead'),
      );
      dependencies.onWork(preparing);
    },
    /** Events were missed, or are not heard any more; the bot may have another token. */
    forget(): void {
      roster.forget();
      platform = undefined;
    },
    /** `onArmed` is told how they are then, where that is known. */
    arm(server: Server, id: string, onArmed?: (target: StopTarget) => void): void {
      const person = watched(id);
      if (person.isStopping) return;
      const { armed } = person;
      const arming =
        person.arming ??
        (isFresh(armed) ? Promise.resolve(armed.target) : begin(server, id, person));
      dependencies.onWork(arming.then((target) => target && onArmed?.(target)));
    },
    stop(server: Server, detected: Detected): void {
      const person = watched(detected.verdict.executorId);
      const isInFlight = person.stoppedAt !== undefined && ageOf(person.stoppedAt) < inFlightMs;
      if (person.isStopping || isInFlight) return;
      person.isStopping = true;
      const stopping = turns
        .stop(() => stop(server, detected))
        .catch((err) => {
          platform = undefined;
          person.stored = undefined;
          metrics.countFailedStop();
          log.warn({ err, ...inGuild }, 'somebody could not be stopped as their acts arrived');
        })
        .finally(() => {
          person.isStopping = false;
          person.stoppedAt = performance.now();
        });
      dependencies.onWork(stopping);
    },
    /** Somebody changed their roles: what they do next was not on its way before. */
    lookAgain(id: string): void {
      const person = people.get(id);
      if (person) Object.assign(person, { armed: undefined, stoppedAt: undefined });
    },
    /** What is told of roles and people makes what was read of them old. */
    learn(event: GuildEvent): void {
      roster.learn(event);
      outdate(event);
    },
  };
};

const noArm = { armed: undefined };
const unknownPerson: Watched = {
  ...{ armed: undefined, arming: undefined, stored: undefined, storedBefore: undefined },
  ...{ stoppedAt: undefined, isStopping: false },
};

const outdatesAll: ReadonlySet<GuildEvent['kind']> = new Set([
  ...(['guildAvailable', 'guildChanged', 'roleChanged'] as const),
]);

const ageOf = (at: number): number => performance.now() - at;

const isFresh = <Read extends { at: number }>(read: Read | undefined): read is Read =>
  read !== undefined && ageOf(read.at) < freshMs;

/** Exactly as they are now: whatever else was stored would count as taken. */
const isStored = ({ stored }: Watched, { target: { plan } }: Armed): boolean =>
  stored !== undefined &&
  ageOf(stored.at) < storedCountsMs &&
  hasSameIds(plan.held, stored.target.plan.held) &&
  hasSameIds(plan.take, stored.target.plan.take);

const hasSameIds = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((id) => others.includes(id));

const isPowerless = ({ target: { plan } }: Armed): boolean =>
  plan.take.length === 0 && !plan.isKicked;

/** A role that is gone can neither be taken nor kept. */
const dropRole = (people: ReadonlyMap<string, Watched>, roleId: string): void => {
  for (const { armed, stored } of people.values()) {
    for (const one of new Set([armed, stored])) {
      if (one) one.target = withoutRole(one.target, roleId);
    }
  }
};

const withoutRole = ({ plan, ...target }: StopTarget, roleId: string): StopTarget => {
  const held = plan.held.filter((id) => id !== roleId);
  const take = plan.take.filter((id) => id !== roleId);
  return { ...target, plan: { ...plan, held, take } };
};

const armedRowOf = (
  { serverId, accountId }: Server,
  { platformId, username, isBot, plan }: StopTarget,
) => ({
  ...{ serverId, accountId, platformId, username, isBot },
  ...{ rolesBefore: plan.held, rolesToTake: plan.take },
});
