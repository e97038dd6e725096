import type { Database } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { unlessBroken } from '../../../kernel/seal.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import { findServer } from '../../servers/queries.ts';
import { findPull, type PullOwner, type PullRow } from '../queries/pulls.ts';
import { createRecallInvite, NoChannel } from './create-invite.ts';
import {
  claimRecall,
  findLivingRecall,
  type LivingRecall,
  listInvited,
  releaseRecall,
  storeNewInvite,
} from './queries.ts';
import { openCode, sealCode } from './sealed-code.ts';

export type RecallDependencies = BotDependencies & { clock: Clock };

export type PreparedRecall =
  | { kind: 'refused'; reason: 'unknownPull' | 'underWay' | 'nobody' | 'busy' }
  | { kind: 'failed'; message: string }
  /** It exists as it should be. */
  | { kind: 'living'; recall: Shown }
  /** It was created or changed at the platform, and is to be stored under the claim. */
  | { kind: 'made'; recall: Shown; id: string; guildId: string; membersHash: string };

type Shown = { code: string; members: number; expiresAt: Date };

/** An HTTP request waits for it. */
const timeoutMs = 3500;
const pollMs = 100;
/** Longer than a request can take. */
const claimMs = 15_000;

/**
 * The invite of a pull, created or changed at the platform if need be. Of several requests at once one
 * does that, and the others wait for what it stores.
 */
export const ensureRecall = async (
  dependencies: RecallDependencies,
  owner: PullOwner,
): Promise<PreparedRecall> => {
  const { db } = dependencies;
  const pull = await findPull(db, owner);
  if (!pull) return { kind: 'refused', reason: 'unknownPull' };
  if (pull.status === 'queued' || pull.status === 'running') {
    return { kind: 'refused', reason: 'underWay' };
  }
  const invited = await listInvited(db, owner);
  if (invited.length === 0) return { kind: 'refused', reason: 'nobody' };
  const wanted = { userIds: invited.map(({ platformId }) => platformId), hash: hashOf(invited) };
  const giveUpAt = performance.now() + timeoutMs;
  for (; performance.now() < giveUpAt; await Bun.sleep(pollMs)) {
    const living = await findUsable(dependencies, owner);
    if (living && living.membersHash === wanted.hash && living.claimedUntil === null) {
      return { kind: 'living', recall: living };
    }
    const claim = await claimRecall(db, owner, claimMs);
    if (claim) return make(dependencies, { owner, pull, claim, wanted });
  }
  return { kind: 'refused', reason: 'busy' };
};

/** Who can use an invite, without saying who they are. */
export const hashOf = (invited: { seq: number }[]): string =>
  sha256Hex(invited.map(({ seq }) => seq).join(' '));

/** Undefined also where the stored code does not open: then another invite is created. */
const findUsable = async ({ db, ring }: RecallDependencies, owner: PullOwner) => {
  const living = await findLivingRecall(db, owner);
  return living && unlessBroken(() => ({ ...living, code: openCode(ring, living) }));
};

type Making = {
  owner: PullOwner;
  pull: PullRow;
  claim: { id: string };
  wanted: { userIds: string[]; hash: string };
};

const make = async (
  dependencies: RecallDependencies,
  { owner, pull, claim, wanted }: Making,
): Promise<PreparedRecall> => {
  try {
    const { accountId } = owner;
    const server = await findServer(dependencies.db, { accountId, serverId: pull.targetServerId });
    if (!server) throw new NoChannel('The server that members were called to is deleted');
    const living = await findUsable(dependencies, owner);
    const { platformGuildId: guildId, customBotId: botId, verifiedRoleId } = server;
    const options = {
      signal: AbortSignal.timeout(timeoutMs),
      reason: `Holdfast recall of pull ${owner.pullId}`,
    };
    const place = { guildId, verifiedRoleId, ...options };
    const invite = await useBot(dependencies, { botId, accountId }, async (bot) => {
      const { userIds } = wanted;
      const changed =
        living?.guildId === guildId && (await letIn(bot.guild(guildId, options), living, userIds));
      if (changed) return changed;
      const created = await createRecallInvite(dependencies, bot, place);
      const sealed = sealCode(dependencies.ring, { id: claim.id, accountId }, created.code);
      const { expiresAt } = created;
      await storeNewInvite(dependencies.db, owner, { ...sealed, guildId, expiresAt });
      await bot.guild(guildId, options).setInviteUsers(created.code, userIds);
      return created;
    });
    const recall = { ...invite, members: wanted.userIds.length };
    return { kind: 'made', recall, id: claim.id, guildId, membersHash: wanted.hash };
  } catch (error) {
    await release(dependencies.db, owner);
    if (isDatabaseFailure(error)) throw error;
    return {
      kind: 'failed',
      message: error instanceof NoChannel ? error.message : failureMessage(error),
    };
  }
};

const release = (db: Database, owner: PullOwner) =>
  releaseRecall(db, owner).catch((error: unknown) => {
    // The claim ends by itself.
    if (!isDatabaseFailure(error)) throw error;
  });

/** Undefined where the invite was deleted at the platform. */
const letIn = async (
  guild: Pick<GuildPlatform, 'setInviteUsers'>,
  { code, expiresAt }: LivingRecall,
  userIds: string[],
) => {
  try {
    await guild.setInviteUsers(code, userIds);
    return { code, expiresAt };
  } catch (error) {
    if (error instanceof PlatformFailure && error.kind === 'unknownInvite') return undefined;
    throw error;
  }
};
