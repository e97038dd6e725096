import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import { deleteInBatches } from '../../../db/queries/purge-rows.ts';
import type { Log } from '../../../kernel/log.ts';
import { SealBroken } from '../../../kernel/seal.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { type Job, ofAccount } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import { systemActor } from '../../audit/rules.ts';
import { BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { findPull, type PullOwner } from '../queries/pulls.ts';
import { isBotLoss } from '../rules.ts';
import { closeInvite, endIfPowerful } from './end-powerful.ts';
import {
  ensureRecall,
  hashOf,
  type RecallDependencies,
  recordRecall,
  storeMadeRecall,
} from './ensure-recall.ts';
import {
  deleteExpiredRecalls,
  deleteRecall,
  findLivingRecall,
  isRecallDue,
  listInvited,
  listRecallsToLookAt,
  storeRecall,
} from './queries.ts';
import { openCode } from './sealed-code.ts';

export const refreshRecall = {
  name: 'pulls.refresh-recall',
  payload: z.object({ pullId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 8,
};

type Dependencies = RecallDependencies & { log: Log };

/**
 * Takes people out of an invite who were erased, withdrew or were blacklisted since, and ends one whose
 * role gives power by now for one without it.
 */
export const refreshRecallJob = (
  dependencies: Dependencies,
): Job<z.output<typeof refreshRecall.payload>> => ({
  ...refreshRecall,
  run: (owner) => refresh(dependencies, owner),
});

export const refreshRecalls = { name: 'pulls.refresh-recalls', payload: z.object({}) };

const rowsPerBatch = 1000;

export const refreshRecallsJob = ({
  db,
  queue,
}: {
  db: Database;
  queue: Pick<Queue, 'enqueue'>;
}): Job => ({
  ...refreshRecalls,
  cron: '3-59/5 * * * *',
  async run(_, signal) {
    await deleteInBatches({ signal }, () => deleteExpiredRecalls(db, rowsPerBatch));
    for (const owner of await listRecallsToLookAt(db)) {
      await db.transaction((tx) => queue.enqueue(tx, refreshRecall, owner));
    }
  },
});

const refresh = async (dependencies: Dependencies, owner: PullOwner): Promise<void> => {
  const { db, log } = dependencies;
  const recall = await findLivingRecall(db, owner);
  const pull = await findPull(db, owner);
  if (!pull) return;
  if (!recall) return (await isRecallDue(db, owner)) ? makeAnew(dependencies, owner) : undefined;
  const invited = await listInvited(db, owner);
  const membersHash = hashOf(invited);
  const isSame = membersHash === recall.membersHash;
  const { accountId } = owner;
  const target = await findGuildOfServer(db, { accountId, serverId: pull.targetServerId });
  if (!target || target.guildId !== recall.guildId) return deleteRecall(db, recall);
  const { guildId } = target;
  const reason = `Holdfast recall of pull ${owner.pullId}`;
  const userIds = invited.map(({ platformId }) => platformId);
  try {
    const isEnded = await useBot(dependencies, { accountId, botId: target.botId }, async (bot) => {
      const inGuild = { bot, guildId, guild: bot.guild(guildId, { reason }) };
      const code = openCode(dependencies.ring, recall);
      if (userIds.length === 0) await closeInvite(inGuild, code);
      else if (await endIfPowerful(dependencies, inGuild, recall, pull.targetServerId)) return true;
      else if (!isSame) await inGuild.guild.setInviteUsers(code, userIds);
      return false;
    });
    if (isEnded) return makeAnew(dependencies, owner);
  } catch (error) {
    if (!isLost(error)) throw error;
    // Nobody is to be kept out: the bot may be back by the next look.
    if (isSame && !isGone(error)) return;
    log.warn({ err: error, ...owner }, 'an invite can no longer be changed');
    return deleteRecall(db, recall);
  }
  if (isSame) return;
  if (invited.length === 0) return deleteRecall(db, recall);
  await db.transaction(async (tx) => {
    const members = invited.length;
    await storeRecall(tx, owner, { members, membersHash });
    // Whoever asked for it did not live to let the people in.
    const late = { actor: systemActor, members, expiresAt: recall.expiresAt };
    if (recall.membersHash === null) await recordRecall(tx, owner, late);
  });
};

/** What fails is tried again at the next look. */
const makeAnew = async (dependencies: Dependencies, owner: PullOwner): Promise<void> => {
  const { db, ring } = dependencies;
  const made = await ensureRecall(dependencies, owner);
  if (made.kind !== 'made') return;
  await db.transaction((tx) => storeMadeRecall(tx, ring, owner, { made, actor: systemActor }));
};

/** The invite is gone, or nobody can change it any more. */
const isLost = (error: unknown): boolean =>
  isGone(error) ||
  error instanceof SealBroken ||
  error instanceof BotUnusable ||
  (error instanceof PlatformFailure && isBotLoss(error.kind));

const isGone = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'unknownInvite';
