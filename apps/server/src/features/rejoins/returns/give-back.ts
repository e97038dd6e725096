import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { createSemaphore, inParallel } from '../../../kernel/concurrency.ts';
import type { Log } from '../../../kernel/log.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { BotPlatform, CurrentMember, GuildPlatform } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import {
  endReturn,
  endReturnsOfServer,
  isReturnDue,
  listReturned,
  type ReturnedMember,
} from '../../members/queries/returns.ts';
import { giveOverwrites } from '../../pulls/overwrites/give-overwrites.ts';
import { findMember, giveMissing } from '../../pulls/roles/give-missing.ts';
import { mapCurrentRoles } from '../../pulls/roles/map-current.ts';
import { type Wish, wishFor } from '../../pulls/roles/map-roles.ts';
import { isBotLoss } from '../../pulls/rules.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import { askWhenSent } from '../../servers/power/judge-roles.ts';
import { findServer } from '../../servers/queries.ts';
import type { Held } from '../rules.ts';
import { readHeld } from './read-held.ts';

export type GiveDependencies = BotDependencies & {
  blobs: SealedBlobs;
  log: Log;
  findHeldBack: FindHeldBack;
};

type Owned = { accountId: string; serverId: string };

const peopleAtATime = 50;
const atOnce = 4;

/** Gives everybody who waits on this server what they had. */
export const giveBackAll = async (
  dependencies: GiveDependencies,
  { botId, ...owner }: Owned & { botId: string },
  run: LeasedRun,
): Promise<void> => {
  const { db, log } = dependencies;
  for (;;) {
    run.signal.throwIfAborted();
    const server = await findServer(db, owner);
    if (!server) return;
    if (!server.restoreRolesOnRejoin) return endReturnsOfServer(db, owner);
    const people = await listReturned(db, owner, peopleAtATime);
    if (people.length === 0) return;
    // Only the place of its own bot may act for a server; the job that resumes names that one.
    if (server.customBotId !== botId) return;
    try {
      const guild = { ...owner, guildId: server.platformGuildId };
      await useBot(dependencies, { botId, accountId: owner.accountId }, (bot) =>
        giveBackSome(dependencies, bot, guild, people, run),
      );
    } catch (error) {
      if (!isBotUseless(error)) throw error;
      // They wait: another job takes this up when the bot can act again.
      log.info({ err: error, ...owner }, 'a bot cannot give returned members what they had');
      return;
    }
  }
};

export const isBotUseless = (error: unknown): boolean =>
  error instanceof BotUnusable || (error instanceof PlatformFailure && isBotLoss(error.kind));

const giveBackSome = async (
  dependencies: GiveDependencies,
  bot: BotPlatform,
  server: Owned & { guildId: string },
  people: readonly ReturnedMember[],
  { signal, lease }: LeasedRun,
): Promise<void> => {
  const { db } = dependencies;
  const { accountId, serverId, guildId } = server;
  const { held, overwrites, saved } = await readHeld(dependencies, server, people);
  const giving = await mapCurrentRoles(db, bot, {
    ...{ accountId, guildId, saved, allowed: [], signal },
  });
  const guild = bot.guild(guildId, { signal, reason: auditReasons.rejoin() });
  // Nobody has confirmed any power: what became dangerous since is left out of the call.
  const asking: AskFor = (platformId, roleIds) => {
    const findHeld = () => dependencies.findHeldBack(db, { accountId, serverId, platformId });
    const roles = roleIds.map((roleId) => ({ roleId }));
    return askWhenSent({ bot, guildId, findHeld }, roles);
  };
  const give = createGiver(guild, giving, asking);
  // What one is given decides which channels follow their category, so the next is planned after it.
  const oneByOne = createSemaphore(1);
  await inParallel(atOnce, people, async (person) => {
    const { memberId, returnedAt } = person;
    const one = { accountId, serverId, memberId, returnedAt };
    const isDue = person.guildId === guildId && (await isReturnDue(db, one));
    const own = isDue ? overwrites.get(memberId) : undefined;
    // First: no role lets them in where they are denied it.
    if (own) {
      const somebody = { accountId, platformId: person.platformId, bot: giving.bot };
      await oneByOne(() => giveOverwrites(db, guild, own, somebody));
    }
    const has = isDue ? await give(person.platformId, held.get(memberId)) : undefined;
    await lease.transaction(db, (tx) => endReturn(tx, one, has));
  });
};

type AskFor = (platformId: string, roleIds: readonly string[]) => ReturnType<typeof askWhenSent>;
type Giving = Awaited<ReturnType<typeof mapCurrentRoles>>;

/** After so many refusals no more are provoked, until the guild is read again. */
const maxRefusals = 5;

/** Returns what a person has then; undefined where they have left again, or are refused it. */
const createGiver = (guild: GuildPlatform, giving: Giving, asking: AskFor) => {
  let refusals = 0;
  const tryGive = async (member: CurrentMember, wish: Wish): Promise<string[] | undefined> => {
    if (refusals >= maxRefusals) return undefined;
    const roleIds = await giveMissing(guild, member, wish, giving, (ids) =>
      asking(member.userId, ids),
    );
    if (!roleIds) refusals += 1;
    return roleIds;
  };
  return async (platformId: string, had: Held | undefined): Promise<Held | undefined> => {
    // Also of one who had nothing: what they came with is what they have.
    const member = await findMember(guild, platformId);
    if (!member) return undefined;
    const wish = had && wishFor(giving, had, null);
    if (!wish || (wish.roleIds.length === 0 && wish.nick === undefined)) {
      return { roleIds: member.roleIds, nick: member.nick };
    }
    const nick = member.nick ?? wish.nick ?? null;
    const roleIds = await tryGive(member, wish);
    if (roleIds) return { roleIds, nick };
    // The platform may dislike the nickname.
    if (wish.nick === undefined || wish.roleIds.length === 0) return undefined;
    const withoutNick = await tryGive(member, { ...wish, nick: undefined });
    return withoutNick && { roleIds: withoutNick, nick: member.nick };
  };
};
