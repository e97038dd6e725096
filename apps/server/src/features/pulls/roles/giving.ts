import { isDeepStrictEqual } from 'node:util';
import { PlatformFailure } from '../../../platform/failures.ts';
import { dangerousNames } from '../../../platform/permissions.ts';
import type { AskGivable, BotPlatform } from '../../../platform/port.ts';
import { askWhenSent, type Verdict } from '../../servers/power/judge-roles.ts';
import { reportWithheld } from '../../servers/power/tell-power.ts';
import { withBot } from '../run/bot-access.ts';
import type { PullRun } from '../run/pull-run.ts';
import { mapCurrentRoles } from './map-current.ts';
import { type CurrentGiving, powerInBackup, type Unrestored } from './map-roles.ts';
import { storeRolesOfPull } from './queries.ts';

/** What members do not get back is told no later than this; what is given is decided with each call. */
const defaultRereadAfterMs = 60_000;

/** Undefined where no roles are restored. */
export const currentGiving = async (
  run: PullRun,
  botId: string,
): Promise<CurrentGiving | undefined> => {
  if (!run.savedRoles) return undefined;
  const { rereadRolesAfterMs = defaultRereadAfterMs } = run.dependencies.pullPauses ?? {};
  const known = run.givings.get(botId);
  if (known && performance.now() - known.readAtMs < rereadRolesAfterMs) return known;
  return readGiving(run, botId);
};

/** Reads the target again. */
export const readGiving = async (
  run: PullRun,
  botId: string,
  refusals = 0,
): Promise<CurrentGiving | undefined> => {
  const { savedRoles: saved, dependencies, owner, pull, target, watch } = run;
  if (!saved) return undefined;
  const readAtMs = performance.now();
  const mapped = await withBot(run, botId, (bot) =>
    mapCurrentRoles(dependencies.db, bot, {
      ...{ accountId: owner.accountId, guildId: target.guildId, saved },
      ...{ allowed: pull.allowDangerousRoles, signal: watch.signal },
    }),
  );
  const giving = { ...mapped, readAtMs, refusals };
  run.givings.set(botId, giving);
  if (botId === target.botId) await storeUnrestored(run, giving.unrestored);
  return giving;
};

/**
 * What a call gives to a member, as is decided when it is sent. The role of the pull itself must be there;
 * one that gives power is given only as far as a person has confirmed it, or the owner has named it and
 * it gave that power in the backup.
 */
export const askForPull = (
  run: PullRun,
  { bot, botId, platformId }: { bot: BotPlatform; botId: string; platformId: string },
  roleIds: readonly string[],
) => {
  const { pull, target, savedRoles, dependencies, owner } = run;
  const given = run.givings.get(botId)?.roles;
  const named = savedRoles?.roles.filter(({ id }) => pull.allowDangerousRoles.includes(id)) ?? [];
  const confirmedOf = (roleId: string): bigint =>
    named
      .filter(({ id }) => given?.get(id) === roleId)
      .reduce(
        (all, role) => all | powerInBackup(role),
        roleId === pull.roleId ? BigInt(pull.confirmedPower) : 0n,
      );
  const roles = roleIds.map((roleId) => ({ roleId, confirmed: confirmedOf(roleId) }));
  const person = { accountId: owner.accountId, serverId: pull.targetServerId, platformId };
  const findHeld = () => dependencies.findHeldBack(dependencies.db, person);
  const asking = askWhenSent({ bot, guildId: target.guildId, findHeld }, roles);
  const ask: AskGivable = async () => {
    const givable = await asking.ask();
    const isOwnMissing = asking.verdict.missing.some((id) => id === pull.roleId);
    if (isOwnMissing) throw new PlatformFailure('unknownRole');
    return givable;
  };
  return { ask, verdict: asking.verdict };
};

/** What became dangerous since the target was read is told, and its own role to the owner at once. */
export const noteWithheld = async (
  run: PullRun,
  botId: string,
  { withheld }: Pick<Verdict, 'withheld'>,
): Promise<void> => {
  const { dependencies, owner, pull } = run;
  const own = withheld.find(({ roleId }) => roleId === pull.roleId);
  if (withheld.some((role) => role !== own)) {
    await readGiving(run, botId, run.givings.get(botId)?.refusals);
  }
  if (!own) return;
  const { roleId, name, power } = own;
  const note = { kind: 'ownRole' as const, roleId, name, permissions: dangerousNames(power) };
  const others = pull.unrestored.filter(({ kind }) => kind !== 'ownRole');
  if (pull.unrestored.some((known) => isDeepStrictEqual(known, note))) return;
  const server = { accountId: owner.accountId, serverId: pull.targetServerId };
  await reportWithheld(dependencies, server, 'PULL', [own]);
  await storeAll(run, [...others, note]);
};

/** What the owner reads about the target's own bot. */
const storeUnrestored = (run: PullRun, unrestored: Unrestored[]): Promise<void> =>
  storeAll(run, [...unrestored, ...run.pull.unrestored.filter(({ kind }) => kind === 'ownRole')]);

const storeAll = async (run: PullRun, unrestored: Unrestored[]): Promise<void> => {
  if (isDeepStrictEqual(run.pull.unrestored, unrestored)) return;
  await run.lease.transaction(run.dependencies.db, (tx) =>
    storeRolesOfPull(tx, run.owner, { unrestored }),
  );
  run.pull.unrestored = unrestored;
};
