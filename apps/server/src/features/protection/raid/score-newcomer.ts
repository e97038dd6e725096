import { normalizeText } from '../../../kernel/normalize-text.ts';
import { accountCreatedAt } from '../../verification/rules.ts';

/**
 * How much a newcomer looks like part of a wave, 0 to 100. Being young is enough to be held. An older
 * account is held only for what it has in common with the others: a name like theirs, and besides no
 * picture of its own or an age of a few weeks. Which invite somebody used the platform tells no bot, so it
 * does not count.
 */
const points = { isYoung: 50, isRatherYoung: 15, hasNoPicture: 20, isAlike: 30 };
const heldFrom = 45;

/** Accounts up to so many times the minimum age are rather young. */
const ratherYoungFactor = 10;
const dayMs = 24 * 60 * 60 * 1000;

export type Signs = {
  age: 'young' | 'ratherYoung' | 'old';
  hasPicture: boolean;
  /** Others of the wave have a name of the same form. */
  isAlike: boolean;
};

export const scoreOf = ({ age, hasPicture, isAlike }: Signs): number =>
  (age === 'young' ? points.isYoung : 0) +
  (age === 'ratherYoung' ? points.isRatherYoung : 0) +
  (hasPicture ? 0 : points.hasNoPicture) +
  (isAlike ? points.isAlike : 0);

export const isHeldAt = (score: number): boolean => score >= heldFrom;

/** An account whose id has no date is old: what is not known counts against nobody. */
export const ageOf = (
  platformId: string,
  joinedAt: Date,
  minAccountAgeDays: number,
): Signs['age'] => {
  const createdAt = accountCreatedAt(platformId);
  if (!createdAt) return 'old';
  const ageDays = (joinedAt.getTime() - createdAt.getTime()) / dayMs;
  if (ageDays < minAccountAgeDays) return 'young';
  return ageDays < minAccountAgeDays * ratherYoungFactor ? 'ratherYoung' : 'old';
};

const shortestStem = 3;
const longestStem = 6;
const lookAlikes: Record<string, string> = {
  0: 'o',
  1: 'i',
  l: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
};

/**
 * The form of a name: names that a script made have the same one. It is the beginning of what is left
 * without digits at the end, separators, accents and digits in place of letters; of a name without letters
 * it is its pattern. Names are compared by this key alone, so the work grows with the number of names and
 * not with that of their pairs.
 */
export const nameKeyOf = (name: string): string => {
  const plain = normalizeText(name, 'NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const stem = [...plain.replace(/[\p{N}\p{P}\p{S}\p{Z}]+$/u, '')]
    .map((letter) => lookAlikes[letter] ?? letter)
    .filter((letter) => /\p{L}/u.test(letter));
  if (stem.length >= shortestStem) return stem.slice(0, longestStem).join('');
  const pattern = plain.replace(/\p{N}/gu, '#').replace(/\p{L}/gu, 'a');
  return `~${[...pattern].slice(0, 32).join('')}`;
};

/** So many people of a wave with one key are alike; what that adds, and from what on it holds them. */
export const alikeRule = { fewestAlike: 4, points: points.isAlike, heldFrom };
