import { readFileSync } from 'node:fs';

/** Slots of a group: a count is in one slot of the group that its id's hash names. */
const groupSize = 16;
const slotBytes = 8;

/** For 100,000 ids in one window a full group is as rare as one in a million. */
export const machineCountsBytes = 2 ** 19 * slotBytes;

/**
 * A slot is one word, so that one compare-and-swap changes all of it and a process that is killed leaves
 * nothing half done: 24 bits of the id's hash, the end of the window in ticks (16 bits), the count (24).
 */
const countBits = 24n;
const tagShift = 40n;
const countMask = (1n << countBits) - 1n;
const tickMask = 0xffff;
const tickMs = 10;
/** By how much the clocks of two processes may differ, and more: a window must not end by that. */
const slackTicks = 100;

type MachineCount = { consumedPoints: number; msBeforeNext: number };

export type MachineCounts = {
  /** Counts one request in its window; undefined if there is no room for another id. */
  count(id: string): MachineCount | undefined;
  /** Frees what ended: a tick is told from one eleven minutes later only while somebody does this. */
  sweep(): void;
};

type Place = { memory: Uint8Array; seed: bigint; windowSeconds: number; now?(): number };

/**
 * Counts that the processes of one machine share, in memory that all of them have mapped. Counting takes
 * no message and waits for nobody. Windows are as those of the other counts: from the first request.
 */
export const createMachineCounts = ({
  memory,
  seed,
  windowSeconds,
  now = createUptime(),
}: Place): MachineCounts => {
  const windowTicks = (windowSeconds * 1000) / tickMs;
  const words = new BigUint64Array(memory.buffer, memory.byteOffset, memory.length / slotBytes);
  const halves = new Uint32Array(memory.buffer, memory.byteOffset, memory.length / 4);
  const groups = BigInt(words.length / groupSize);
  const tickNow = () => Math.floor(now() / tickMs) & tickMask;

  const ticksLeft = (word: bigint, tick: number): number => {
    const left = (Number((word >> countBits) & BigInt(tickMask)) - tick) & tickMask;
    return left > windowTicks + slackTicks ? 0 : Math.min(left, windowTicks);
  };
  const isLive = (word: bigint, tick: number) => word !== 0n && ticksLeft(word, tick) > 0;

  const add = (at: number, change: bigint, tick: number, tag: bigint): bigint | undefined => {
    for (;;) {
      const word = Atomics.load(words, at);
      if (word >> tagShift !== tag || !isLive(word, tick)) return undefined;
      if (Atomics.compareExchange(words, at, word, word + change) === word) return word + change;
    }
  };

  /** Where the id is counted, and a free slot. */
  const find = (first: number, tag: bigint, tick: number) => {
    let free: number | undefined;
    for (let at = first; at < first + groupSize; at++) {
      const word = Atomics.load(words, at);
      if (!isLive(word, tick)) free ??= at;
      else if (word >> tagShift === tag) return { at, free };
    }
    return { at: undefined, free };
  };

  /** Two processes may begin one window in two slots: the later slot's count goes to the first. */
  const merge = (first: number, tag: bigint, tick: number): void => {
    const { at: kept } = find(first, tag, tick);
    if (kept === undefined) return;
    for (let at = kept + 1; at < first + groupSize; at++) {
      const word = Atomics.load(words, at);
      if (word >> tagShift !== tag || !isLive(word, tick)) continue;
      if (Atomics.compareExchange(words, at, word, 0n) !== word) continue;
      add(kept, word & countMask, tick, tag);
    }
  };

  const begin = (at: number, tag: bigint): boolean => {
    const before = Atomics.load(words, at);
    const tick = tickNow();
    if (isLive(before, tick)) return false;
    const end = BigInt((tick + windowTicks) & tickMask);
    const fresh = (tag << tagShift) | (end << countBits);
    return Atomics.compareExchange(words, at, before, fresh) === before;
  };

  return {
    count(id) {
      const hash = Bun.hash.xxHash64(id, seed);
      // Never 0, which is an empty slot.
      const tag = (hash >> tagShift) | 1n;
      const first = Number(hash % groups) * groupSize;
      for (;;) {
        const tick = tickNow();
        const { at, free } = find(first, tag, tick);
        if (at === undefined && free === undefined) return undefined;
        if (at === undefined) {
          if (free !== undefined && begin(free, tag)) merge(first, tag, tick);
          continue;
        }
        const counted = add(at, 1n, tick, tag);
        if (counted === undefined) continue;
        const msBeforeNext = ticksLeft(counted, tick) * tickMs;
        return { consumedPoints: Number(counted & countMask), msBeforeNext };
      }
    },
    sweep() {
      const tick = tickNow();
      for (let at = 0; at < words.length; at++) {
        // Nearly all are empty, and to read a whole word makes an object of it.
        if (halves[2 * at] === 0 && halves[2 * at + 1] === 0) continue;
        const word = Atomics.load(words, at);
        if (word !== 0n && !isLive(word, tick)) Atomics.compareExchange(words, at, word, 0n);
      }
    },
  };
};

const readAgainMs = 1000;

/**
 * Milliseconds since the machine started: the runtime's own clock begins with the process. Read again
 * from time to time, because a suspended machine may stop the one and not the other.
 */
const createUptime = () => {
  let uptimeMs = 0;
  let readAt = -Infinity;
  return () => {
    const sinceMs = performance.now() - readAt;
    if (sinceMs < readAgainMs) return uptimeMs + sinceMs;
    uptimeMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
    readAt = performance.now();
    return uptimeMs;
  };
};
