/**
 * Who has to be stopped, by what they did within the last hour. Pure: the same acts give the same verdict
 * in memory as they arrive, from the database after a restart, and in a test.
 *
 *   threshold   as many of a kind as the owner set, in the time they set
 *   burst       two thirds of that faster than a person can
 *   mixed       three different things in a second, of which one cannot be brought back
 *   slow        several times the threshold within an hour
 *   together    several people reach more than the threshold between them, sooner than those who tidy up
 *   edits       many things made or changed, faster than a person reorganises a guild by hand, or roles
 *               taken from many people
 *   at once     a dangerous permission granted, a bot added, a prune, protection weakened
 *
 * For people who are trusted, and for the guild's owner, every number is five times as high, what counts
 * at once has one, and speed alone does not count. What belongs to an incident already is not judged again.
 */
import {
  type Threshold,
  type ThresholdKind,
  type Thresholds,
  thresholdKinds,
  trustedFactor,
} from '@holdfast/contract';
import { type ActKind, isAtOnce, isCounted, isStructural, type WatchedKind } from './kinds.ts';

export type SeenAct = {
  executorId: string;
  kind: ActKind;
  atMs: number;
  /** What it was done to; of edits only different things count. */
  targetId?: string | null;
};

export type Guard = {
  thresholds: Thresholds;
  trusted: ReadonlySet<string>;
  /** Null where it is not known. */
  ownerId: string | null;
  /** It will be known in a moment: until then nothing counts at once, since it may be the owner's act. */
  awaitsOwner?: boolean;
};

export type Rule =
  | 'threshold'
  | 'burst'
  | 'mixed'
  | 'slow'
  | 'together'
  | 'edits'
  | 'atOnce'
  | 'again';
export type Verdict = Found & { executorId: string };

type Found = {
  kind: WatchedKind;
  rule: Rule;
  /** The first act that it is judged by: what they did before it was honest work. */
  fromMs: number;
  /** Of a slow attack also what they did of its kind since then. */
  kindFromMs?: number;
};

export const watchedForMs = 60 * 60 * 1000;
const trustedAtOnce = { count: 5, perMs: 30_000 };
/** Between two acts of a burst. A person who hurries needs more, also in a client with shortcuts. */
const burstGapMs = 150;
const mixed = { count: 3, perMs: 1000 };
/** Things that one person makes or changes. By hand each takes some three seconds and more. */
const mostEdits = [
  { count: 15, perMs: 30_000 },
  { count: 40, perMs: 5 * 60_000 },
];
/** People from whom one person or bot takes roles. A bot that swaps roles of newcomers is below it. */
const mostTakes = [
  { count: 30, perMs: 30_000 },
  { count: 100, perMs: 5 * 60_000 },
];
/** So many people who delete twice a threshold between them attack, each of them. */
const crowd = 3;
/** Of people more may be sent away in an hour of spam; they can be let in again. */
export const slowFactor = { structural: 4, people: 10 };

/** Accounts that take turns are quick; two people who tidy up a guild together are not. */
const inTurnShare = 2 / 3;

/** What somebody did right before the first act that they are judged by belongs to it. */
const marginMs = 10_000;

/** Since when what they did, whatever it was, is part of the attack. */
export const beginningOf = ({ rule, fromMs }: Verdict): Date =>
  new Date(rule === 'atOnce' || rule === 'again' ? fromMs : fromMs - marginMs);

/** Between two acts of one stretch of a slow attack. */
const stretchGapMs = 60_000;

/** The verdict on one executor by their own acts; undefined where there is none. */
export const judgeAlone = (
  acts: readonly SeenAct[],
  guard: Guard,
  executorId: string,
): Verdict | undefined => {
  const own = acts.filter((act) => act.executorId === executorId).sort(byTime);
  const factor = isTrusted(guard, executorId) ? trustedFactor : 1;
  const found =
    (guard.awaitsOwner ? undefined : judgeAtOnce(own, factor)) ??
    firstOf(thresholdKinds, (kind) => judgeKind(own, kind, guard.thresholds[kind], factor)) ??
    judgeMixed(own, factor) ??
    firstOf(mostEdits, (most) => judgeMany(own, ['edits', 'demotions'], most, factor)) ??
    firstOf(mostTakes, (most) => judgeMany(own, ['roleTakes', 'demotions'], most, factor));
  return found && { executorId, ...found };
};

const judgeAtOnce = (own: readonly SeenAct[], factor: number): Found | undefined => {
  const acts = own.filter(({ kind }) => isAtOnce(kind));
  const needed = factor === 1 ? { count: 1, perMs: 1 } : trustedAtOnce;
  const group = denseGroup(acts, needed.count, needed.perMs);
  // Only the owner can give a guild away, and their account can be stolen too.
  const handedOver = acts.find(({ kind }) => kind === 'ownerChanges');
  const [first, last] = handedOver ? [handedOver, handedOver] : [group[0], group.at(-1)];
  if (!first || !last || !isAtOnce(last.kind)) return undefined;
  return { kind: last.kind, rule: 'atOnce', fromMs: first.atMs };
};

const judgeKind = (
  own: readonly SeenAct[],
  kind: ThresholdKind,
  threshold: Threshold,
  factor: number,
): Found | undefined => {
  const acts = own.filter((act) => act.kind === kind);
  const count = threshold.count * factor;
  const [first] = denseGroup(acts, count, threshold.perSeconds * 1000);
  if (first) return { kind, rule: 'threshold', fromMs: first.atMs };
  const burst = Math.max(2, Math.ceil((threshold.count * 2) / 3));
  const isBurstKind = kind === 'channelDeletes' || kind === 'roleDeletes';
  // Many people can be banned by one call, and emojis be uploaded and taken back by a bot.
  if (isBurstKind && factor === 1) {
    const [one] = denseGroup(acts, burst, burstGapMs * (burst - 1) + 1);
    if (one) return { kind, rule: 'burst', fromMs: one.atMs };
  }
  const slow = count * (isStructural(kind) ? slowFactor.structural : slowFactor.people);
  const group = denseGroup(acts, slow, watchedForMs);
  const [oldest] = group;
  return oldest && { kind, rule: 'slow', fromMs: lastStretchOf(group), kindFromMs: oldest.atMs };
};

/** When the last of these began that were done one after the other. */
const lastStretchOf = (acts: readonly SeenAct[]): number =>
  acts.reduce(
    ({ startMs, endMs }, { atMs }) => ({
      startMs: atMs - endMs < stretchGapMs ? startMs : atMs,
      endMs: atMs,
    }),
    { startMs: 0, endMs: Number.NEGATIVE_INFINITY },
  ).startMs;

const judgeMixed = (own: readonly SeenAct[], factor: number): Found | undefined => {
  const acts = own.filter(({ kind }) => isCounted(kind));
  const count = mixed.count * factor;
  for (let end = count; end <= acts.length; end++) {
    const group = acts.slice(end - count, end);
    const kinds = new Set(group.map(({ kind }) => kind));
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last || last.atMs - first.atMs >= mixed.perMs || kinds.size < 2) continue;
    const worst = group.find(({ kind }) => isStructural(kind))?.kind;
    if (worst && isCounted(worst)) {
      return { kind: worst, rule: 'mixed', fromMs: first.atMs };
    }
  }
  return undefined;
};

/** The first time that it was done to so many different things, or people, in so long. */
const judgeMany = (
  own: readonly SeenAct[],
  [counting, also]: readonly [WatchedKind, WatchedKind],
  most: { count: number; perMs: number },
  factor: number,
): Found | undefined => {
  const { count, perMs } = { ...most, count: most.count * factor };
  const acts = own.filter(({ kind }) => kind === counting || kind === also);
  const window = new Map<string, number>();
  let start = 0;
  for (const [end, act] of acts.entries()) {
    // What is not named is something of its own.
    window.set(act.targetId ?? `unnamed ${end}`, act.atMs);
    while ((acts[start]?.atMs ?? act.atMs) <= act.atMs - perMs) start++;
    for (const [target, atMs] of window) if (atMs <= act.atMs - perMs) window.delete(target);
    const first = acts[start];
    if (first && window.size >= count) return { kind: counting, rule: 'edits', fromMs: first.atMs };
  }
  return undefined;
};

/** Verdicts on those who reach a threshold only between them. Trusted people do not count in it. */
export const judgeTogether = (
  acts: readonly SeenAct[],
  guard: Guard,
  kind: ThresholdKind,
): Verdict[] => {
  const counting = acts
    .filter((act) => act.kind === kind && !isTrusted(guard, act.executorId))
    .sort(byTime);
  const { count, perSeconds } = guard.thresholds[kind];
  // Alone they are judged sooner; below two there is no together.
  const least = Math.max(2, count);
  const perMs = perSeconds * 1000;
  const many = isStructural(kind) ? crowdOf(counting, least, perMs) : [];
  const isCrowd = many.length > 0;
  const inTurn = isStructural(kind)
    ? firstGroup(
        denseGroup(counting, least + 1, perMs * inTurnShare),
        denseGroup(counting, least * 2, perMs),
      )
    : denseGroup(counting, least * 3, perMs);
  const group = isCrowd ? many : inTurn;
  const byExecutor = Map.groupBy(group, ({ executorId }) => executorId);
  if (byExecutor.size < 2) return [];
  // Who did one thing beside an attack did it by chance.
  const leastEach = isCrowd ? 1 : isStructural(kind) ? 2 : 3;
  return [...byExecutor].flatMap(([executorId, [first, ...others]]) =>
    first && others.length + 1 >= leastEach
      ? { executorId, kind, rule: 'together' as const, fromMs: first.atMs }
      : [],
  );
};

/** What many people did, each below the threshold. A team does not delete so much at once. */
const crowdOf = (acts: readonly SeenAct[], least: number, perMs: number): SeenAct[] => {
  const byExecutor = Map.groupBy(acts, ({ executorId }) => executorId);
  // Who did more is judged alone, and whoever did one thing beside them did it by chance.
  const few = acts.filter(({ executorId: id }) => (byExecutor.get(id)?.length ?? 0) < least);
  const group = denseGroup(few, least * 2, perMs);
  return new Set(group.map(({ executorId }) => executorId)).size >= crowd ? group : [];
};

const isTrusted = ({ trusted, ownerId }: Guard, executorId: string): boolean =>
  trusted.has(executorId) || executorId === ownerId;

/** The first `count` acts in a row that took less than `perMs`. */
const denseGroup = (acts: readonly SeenAct[], count: number, perMs: number): SeenAct[] => {
  for (let end = count; end <= acts.length; end++) {
    const [first, last] = [acts[end - count], acts[end - 1]];
    if (first && last && last.atMs - first.atMs < perMs) return acts.slice(end - count, end);
  }
  return [];
};

const firstGroup = (one: SeenAct[], other: SeenAct[]): SeenAct[] => (one.length > 0 ? one : other);

const byTime = (one: SeenAct, other: SeenAct): number => one.atMs - other.atMs;

const firstOf = <Item, Result>(
  items: readonly Item[],
  find: (item: Item) => Result | undefined,
): Result | undefined => {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
};
