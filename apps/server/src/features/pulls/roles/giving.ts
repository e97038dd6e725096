import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../../platform/guild.ts';
import { botPermissionsIn, readBotMember } from '../../../platform/permissions.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { withBot } from '../run/bot-access.ts';
import type { PullRun } from '../run/pull-run.ts';
import { type CurrentGiving, mapRoles, type Unrestored } from './map-roles.ts';
import { storeRolesOfPull } from './queries.ts';

/** A role that becomes dangerous during a long pull is not given for longer than this. */
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
export const readGiving = async (run: PullRun, botId: string, refusals = 0) => {
  const giving = await withBot(run, botId, async (bot): Promise<CurrentGiving | undefined> => {
    const { savedRoles: saved, pull, target, watch } = run;
    if (!saved) return undefined;
    const options = { signal: watch.signal };
    const { guildId } = target;
    const readAtMs = performance.now();
    const guild = await bot.guild(guildId, options).read();
    const channels = await bot.guild(guildId, options).readChannels();
    const permissions = botPermissionsIn(await readBotMember(bot, guildId, options), {
      guildId,
      ...guild,
    });
    const restoredIds = await resolveRestoredIds(
      run.dependencies.db,
      run.owner.accountId,
      'roles',
      {
        ids: saved.roles.map(({ id }) => id),
        liveIds: new Set(guild.roles.map(({ id }) => id)),
      },
    );
    const isBelow = (role: Role) => permissions.reaches(role);
    return {
      ...mapRoles({
        ...{ saved, bot: permissions, restoredIds },
        target: { guildId, roles: guild.roles, channels },
        allowed: new Set(pull.allowDangerousRoles),
      }),
      ...{ readAtMs, refusals },
      canEdit: ({ userId, roleIds }) =>
        userId !== guild.ownerId &&
        guild.roles.filter(({ id }) => roleIds.includes(id)).every(isBelow),
    };
  });
  if (!giving) return undefined;
  run.givings.set(botId, giving);
  if (botId === run.target.botId) await storeUnrestored(run, giving.unrestored);
  return giving;
};

/** What the owner reads about the target's own bot. */
const storeUnrestored = async (run: PullRun, unrestored: Unrestored[]): Promise<void> => {
  if (isDeepStrictEqual(run.pull.unrestored, unrestored)) return;
  await run.dependencies.db.transaction(async (tx) => {
    await run.lease.requireHeld(tx);
    await storeRolesOfPull(tx, run.owner, { unrestored });
  });
  run.pull.unrestored = unrestored;
};
