import type { Database, Transaction } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import type { Actor } from '../../../http/handler.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { type KeyRing, SealBroken } from '../../../kernel/seal.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { recordAudit } from '../../audit/queries.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import { findServer } from '../../servers/queries.ts';
import { findPull, type PullOwner, type PullRow } from '../queries/pulls.ts';
import { createRecallInvite, NoChannel } from './create-invite.ts';
import { endIfPowerful, type InGuild } from './end-powerful.ts';
import {
  claimRecall,
  findLivingRecall,
  type LivingRecall,
  listInvited,
  releaseRecall,
  storeNewInvite,
  storeRecall,
} from './queries.ts';
import { openCode, sealCode } from './sealed-code.ts';

export type RecallDependencies = BotDependencies & { clock: Clock; findHeldBack: FindHeldBack };

export type PreparedRecall =
  | { kind: 'refused'; reason: 'unknownPull' | 'underWay' | 'nobody' | 'busy' }
  | { kind: 'failed'; message: string }
  /** It exists as it should be. */
  | { kind: 'living'; recall: Shown }
  | MadeRecall;

/** It was created or changed at the platform, and is to be stored under the claim. */
type MadeRecall = {
  kind: 'made';
  recall: Shown;
  id: string;
  guildId: string;
  membersHash: string;
};

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
    const claim = await claimRecall(db, owner, claimMs);
    if (claim) return make(dependencies, { owner, pull, claim, wanted });
  }
  return { kind: 'refused', reason: 'busy' };
};

/** Who can use an invite, without saying who they are. */
export const hashOf = (invited: { seq: number }[]): string =>
  sha256Hex(invited.map(({ seq }) => seq).join(' '));

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
  const { db } = dependencies;
  try {
    const { accountId } = owner;
    const server = await findServer(db, { accountId, serverId: pull.targetServerId });
    if (!server) throw new NoChannel('The server that members were called to is deleted');
    const living = await findLivingRecall(db, owner);
    const { platformGuildId: guildId, customBotId: botId, verifiedRoleId } = server;
    const options = {
      signal: AbortSignal.timeout(timeoutMs),
      reason: `Holdfast recall of pull ${owner.pullId}`,
    };
    const place = { accountId, serverId: server.id, guildId, verifiedRoleId, ...options };
    const { isChanged, ...invite } = await useBot(
      dependencies,
      { botId, accountId },
      async (bot) => {
        const { userIds } = wanted;
        const inGuild = { bot, guildId, guild: bot.guild(guildId, options) };
        const isHere = living?.guildId === guildId;
        const kept = isHere && (await keep(dependencies, inGuild, { living, pull, wanted }));
        if (kept) return kept;
        const created = await createRecallInvite(dependencies, bot, place);
        const sealed = sealCode(dependencies.ring, { id: claim.id, accountId }, created.code);
        const { expiresAt } = created;
        await storeNewInvite(db, owner, { ...sealed, guildId, expiresAt });
        await inGuild.guild.setInviteUsers(created.code, userIds);
        return { ...created, isChanged: true };
      },
    );
    const recall = { ...invite, members: wanted.userIds.length };
    if (isChanged) return { kind: 'made', recall, id: claim.id, guildId, membersHash: wanted.hash };
    await release(db, owner);
    return { kind: 'living', recall };
  } catch (error) {
    await release(db, owner);
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

type Keeping = Pick<Making, 'pull' | 'wanted'> & { living: LivingRecall };

/**
 * Lets the people into the invite that is there. Undefined where another is to be made: it gives power by
 * now, was deleted at the platform, or its stored code does not open.
 */
const keep = async (
  dependencies: RecallDependencies,
  inGuild: InGuild,
  { living, pull, wanted }: Keeping,
) => {
  try {
    if (await endIfPowerful(dependencies, inGuild, living, pull.targetServerId)) return undefined;
    const code = openCode(dependencies.ring, living);
    const isChanged = living.membersHash !== wanted.hash;
    if (isChanged) await inGuild.guild.setInviteUsers(code, wanted.userIds);
    return { code, expiresAt: living.expiresAt, isChanged };
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    if (error instanceof PlatformFailure && error.kind === 'unknownInvite') return undefined;
    throw error;
  }
};

/** Ends the claim. */
export const storeMadeRecall = async (
  tx: Transaction,
  ring: KeyRing,
  owner: PullOwner,
  { made, actor }: { made: MadeRecall; actor: Actor },
): Promise<void> => {
  const { id, guildId, membersHash, recall } = made;
  const { code, members, expiresAt } = recall;
  const sealed = sealCode(ring, { id, accountId: owner.accountId }, code);
  await storeRecall(tx, owner, { ...sealed, guildId, members, membersHash, expiresAt });
  await recordRecall(tx, owner, { actor, members, expiresAt });
};

export const recordRecall = (
  tx: Transaction,
  { accountId, pullId }: PullOwner,
  { actor, members, expiresAt }: { actor: Actor; members: number; expiresAt: Date },
): Promise<void> =>
  recordAudit(tx, {
    accountId,
    actor,
    action: 'pull.recall',
    subject: { type: 'pull', id: pullId },
    changes: { members, expiresAt: expiresAt.toISOString() },
  });
