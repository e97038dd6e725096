import { without } from '../../../platform/permissions.ts';
import type { AskGivable, BotPlatform, GivableRoleId } from '../../../platform/port.ts';
import type { FindHeldBack, HeldBack } from './held-back.ts';
import { maxAgeMs, type RolePower, readPowers } from './read-powers.ts';

/** `confirmed`: the power that a person has agreed to; none unless it is said. */
export type RoleToGive = { roleId: string; confirmed?: bigint | undefined };

export type Verdict = {
  givable: GivableRoleId[];
  /** They give more power than anybody has agreed to. */
  withheld: RolePower[];
  /** They are for somebody who was stopped, and were taken from them or give power. */
  taken: RolePower[];
  /** The guild has no such role. */
  missing: string[];
};

/**
 * `taken`: what was taken from the person, where they were stopped. Nobody has confirmed power for them.
 * `coming`: the power that roles are about to get.
 */
export type Judging = Partial<HeldBack> & { notOlderThanMs?: number };

/**
 * Which roles may be given to somebody now. Whatever gives a role to a person asks this, at the moment it
 * gives it: by what the guild says now, a role is given only where it gives no power, or where a person
 * has confirmed all of its power. Where the guild cannot be read this throws, and nothing is given.
 */
export const judgeRoles = async (
  bot: BotPlatform,
  guildId: string,
  roles: readonly RoleToGive[],
  { taken, coming, notOlderThanMs = maxAgeMs }: Judging = {},
): Promise<Verdict> => {
  const verdict: Verdict = { givable: [], withheld: [], taken: [], missing: [] };
  if (roles.length === 0) return verdict;
  const known = await readPowers(bot, guildId, notOlderThanMs);
  // A role may be newer than what was read.
  const isNew = roles.some(({ roleId }) => !known.has(roleId));
  const powers = isNew ? await readPowers(bot, guildId, 0) : known;
  for (const { roleId, confirmed = 0n } of roles) {
    const now = powers.get(roleId);
    const role = now && { ...now, power: now.power | (coming?.get(roleId) ?? 0n) };
    if (!role) verdict.missing.push(roleId);
    else if (taken && (taken.includes(roleId) || role.power !== 0n)) verdict.taken.push(role);
    else if (without(role.power, confirmed) !== 0n) verdict.withheld.push(role);
    // The only place that makes one.
    else verdict.givable.push(roleId as GivableRoleId);
  }
  return verdict;
};

/** What a person has confirmed of a server's verified role. */
export const confirmedPowerOf = (
  confirmed: { roleId: string; power: string } | null,
  roleId: string,
): bigint => (confirmed?.roleId === roleId ? BigInt(confirmed.power) : 0n);

type InGuild = { bot: BotPlatform; guildId: string; findHeld: () => ReturnType<FindHeldBack> };

/** For a call that asks when it is sent; the verdict is that of its last attempt. */
export const askWhenSent = (
  { bot, guildId, findHeld }: InGuild,
  roles: readonly RoleToGive[],
): { ask: AskGivable; verdict: Verdict } => {
  const verdict: Verdict = { givable: [], withheld: [], taken: [], missing: [] };
  const ask = async () => {
    Object.assign(verdict, await judgeRoles(bot, guildId, roles, await findHeld()));
    return verdict.givable;
  };
  return { ask, verdict };
};
