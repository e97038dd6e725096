import { createHand, type Hand } from './hand.ts';
import type { HonestAct } from './honest-act.ts';
import { sittings } from './honest-sittings.ts';

/** How many of each the guild must have for what the month names. */
export const honestSize = { channels: 120, roles: 25, emojis: 60, members: 300 };

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/**
 * A month of ordinary moderation, always the same for the same seed. How often and how fast things are done is
 * told, with where that comes from, in `honest-sittings.ts`; no number there comes from a threshold.
 */
export const honestMonth = (seed: number, length: number): HonestAct[] => {
  const hand = createHand(seed);
  const acts: HonestAct[] = [];
  while (acts.length < length) {
    const sitting = hand.weighted(sittings);
    acts.push(...sitting(hand, momentIn(hand)));
  }
  return givenOrTaken(acts.sort((one, other) => one.atMs - other.atMs));
};

const memberRole = /\{member-(\d+)\}\/roles\/\{role-(\d+)\}$/;

/** Who has the role drops it: every act changes something. */
const givenOrTaken = (acts: HonestAct[]): HonestAct[] => {
  const toggled = new Set<string>();
  return acts.map((act) => {
    const [, member, role] = memberRole.exec(act.path) ?? [];
    if (member === undefined) return act;
    const n = Number(member);
    const hadAtFirst = n % 2 === 1 && n % honestSize.roles === Number(role);
    const has = hadAtFirst !== toggled.has(act.path);
    if (!toggled.delete(act.path)) toggled.add(act.path);
    return { ...act, method: has ? 'DELETE' : 'PUT' };
  });
};

/** Evenings are busier than mornings. */
const momentIn = (hand: Hand): number => {
  const dayHour = Math.max(hand.between(0, 24), hand.between(6, 24));
  return Math.floor(hand.between(0, 29)) * day + dayHour * hour;
};
