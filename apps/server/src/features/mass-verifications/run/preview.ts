import type { DangerousPermission, MassVerificationFilter } from '@holdfast/contract';
import { isDatabaseFailure } from '../../../db/failures.ts';
import type { OwnedServer } from '../../../http/handler.ts';
import { dangerousNames } from '../../../platform/permissions.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import { maxAgeMs, readPowers } from '../../servers/power/read-powers.ts';
import { beforeAll, listCandidates } from './list-members.ts';
import { openGuild } from './open-guild.ts';

/** A request waits for the answer. */
const timeoutMs = 3500;
const maxPages = 3;

type Place = { guildId: string; botId: string; verifiedRoleId: string | null };

type Preview = {
  roleName: string | null;
  dangerousPermissions: DangerousPermission[];
  matching: number;
  already: number;
  isComplete: boolean;
  failure: string | null;
};

const nothing: Preview = {
  ...{ roleName: null, dangerousPermissions: [], matching: 0, already: 0 },
  ...{ isComplete: false, failure: null },
};

/** Counts the first few pages of members, so that an owner sees whom the filter finds. */
export const previewMembers = async (
  dependencies: BotDependencies,
  { accountId }: OwnedServer,
  { guildId, botId, verifiedRoleId }: Place,
  filter: MassVerificationFilter,
): Promise<Preview> => {
  if (verifiedRoleId === null) return { ...nothing, failure: 'The server has no verified role' };
  const { joinedBefore = null, roleId = null } = filter;
  const request = { guildId, verifiedRoleId, joinedBefore, roleId };
  const signal = AbortSignal.timeout(timeoutMs);
  const owner = { botId, accountId };
  let preview = nothing;
  try {
    return await useBot(dependencies, owner, async (bot) => {
      const { obstacle } = await openGuild(dependencies, { bot, owner }, request, signal);
      const role = (await readPowers(bot, guildId, maxAgeMs)).get(verifiedRoleId);
      preview = {
        ...nothing,
        ...{
          roleName: role?.name ?? null,
          dangerousPermissions: dangerousNames(role?.power ?? 0n),
        },
      };
      if (obstacle) return { ...preview, failure: obstacle };
      let after = beforeAll;
      for (let page = 0; page < maxPages && !preview.isComplete; page++) {
        const { members, isLast } = await bot.guild(guildId, { signal }).readMemberPage(after);
        const found = await listCandidates(dependencies.db, accountId, members, request);
        const already = found.filter(({ roleIds }) => roleIds.includes(verifiedRoleId)).length;
        preview = {
          ...preview,
          ...{ matching: preview.matching + found.length, already: preview.already + already },
          isComplete: isLast,
        };
        after = members.at(-1)?.userId ?? after;
      }
      return preview;
    });
  } catch (error) {
    if (isDatabaseFailure(error)) throw error;
    return { ...preview, failure: failureMessage(error) };
  }
};
