import type { DangerousPermission } from '@holdfast/contract';
import type { Actor, SecondFactor } from '../../../http/handler.ts';
import {
  forbidden,
  type HttpError,
  invalidField,
  secondFactorRequired,
} from '../../../kernel/errors.ts';
import { normalizeText } from '../../../kernel/normalize-text.ts';
import { withinTime } from '../../../platform/client/abortable.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { dangerousNames } from '../../../platform/permissions.ts';
import {
  type BotDependencies,
  type BotOwner,
  BotUnusable,
  useBot,
} from '../../bots/use/use-bot.ts';
import { type RolePower, readPowers } from './read-powers.ts';

type InGuild = BotOwner & { guildId: string };

/** A request waits for the answer. */
const timeoutMs = 2000;

/**
 * What the roles of a guild give now; none where it cannot be read. The request goes on without: a role is
 * judged again whenever it is given.
 */
export const readPowersNow = async (
  dependencies: BotDependencies,
  { guildId, ...owner }: InGuild,
): Promise<ReadonlyMap<string, RolePower>> => {
  try {
    return await useBot(dependencies, owner, (bot) =>
      withinTime(timeoutMs, () => readPowers(bot, guildId, 0)),
    );
  } catch (error) {
    if (error instanceof PlatformFailure || error instanceof BotUnusable) return new Map();
    throw error;
  }
};

export const readNamedRole = async (
  dependencies: BotDependencies,
  guild: InGuild,
  roleId: string | null | undefined,
): Promise<RolePower | undefined> =>
  roleId ? (await readPowersNow(dependencies, guild)).get(roleId) : undefined;

/** A person with a second factor; where an endpoint demands it, a code of it was shown just now. */
export const mayConfirmPower = (
  { type }: Actor,
  { secondFactor }: { secondFactor: SecondFactor },
): boolean => type === 'USER' && secondFactor !== 'off';

type Asking = {
  actor: Actor;
  caller: { secondFactor: SecondFactor };
  /** Where the request names the role. */
  field: string;
  /** The name of the role, as the person typed it. */
  typed: string | undefined;
};

/**
 * Power is given by a person in the dashboard, who has just shown a second factor and types the role's
 * name. Throws otherwise; returns what they have confirmed, which is nothing for a harmless role.
 */
export const requireConfirmed = (role: RolePower | undefined, asking: Asking): bigint => {
  const power = role?.power ?? 0n;
  if (role && power !== 0n) throwUnlessConfirmed(role, asking);
  return power;
};

const throwUnlessConfirmed = (
  { name, power }: RolePower,
  { actor, caller, field, typed }: Asking,
): void => {
  const gives = `The role ${name} has dangerous permissions (${dangerousNames(power).join(', ')})`;
  if (actor.type !== 'USER') {
    throw invalidField(field, `${gives}: only a person can choose it, in the dashboard`);
  }
  if (caller.secondFactor === 'off') throw factorMissing(gives);
  if (caller.secondFactor === 'due') throw secondFactorRequired();
  if (typed === undefined || visibleText(typed) !== visibleText(name)) {
    throw invalidField('confirmRoleName', `${gives}: type its name to give it all the same`);
  }
};

const factorMissing = (gives: string): HttpError =>
  forbidden(`${gives}: switch on a second factor on your account page, then confirm it`);

/** As the dashboard compares what is typed with a name. */
const visibleText = (text: string): string =>
  normalizeText(text, 'NFC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

/** As they stand in the audit log. */
export const auditedPower = (power: bigint): { confirmedPermissions?: DangerousPermission[] } =>
  power === 0n ? {} : { confirmedPermissions: dangerousNames(power) };
