import { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import { deleteInBatches } from '../../../db/queries/purge-rows.ts';
import type { Log } from '../../../kernel/log.ts';
import { SealBroken } from '../../../kernel/seal.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import { type Job, ofAccount } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { findPull, type PullOwner } from '../queries/pulls.ts';
import { isBotLoss } from '../rules.ts';
import { hashOf } from './ensure-recall.ts';
import {
  deleteExpiredRecalls,
  deleteRecall,
  findLivingRecall,
  type LivingRecall,
  listInvited,
  listLivingRecalls,
  storeRecall,
} from './queries.ts';
import { openCode } from './sealed-code.ts';

export const refreshRecall = {
  name: 'pulls.refresh-recall',
  payload: z.object({ pullId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 8,
};

type Dependencies = BotDependencies & { log: Log };

/** Takes people out of an invite who were erased, withdrew or were blacklisted since. */
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
    for (const owner of await listLivingRecalls(db)) {
      const { membersHash } = (await findLivingRecall(db, owner)) ?? {};
      if (membersHash === hashOf(await listInvited(db, owner))) continue;
      await db.transaction((tx) => queue.enqueue(tx, refreshRecall, owner));
    }
  },
});

const refresh = async (dependencies: Dependencies, owner: PullOwner): Promise<void> => {
  const { db, log } = dependencies;
  const recall = await findLivingRecall(db, owner);
  const pull = recall && (await findPull(db, owner));
  if (!recall || !pull) return;
  const invited = await listInvited(db, owner);
  const membersHash = hashOf(invited);
  if (membersHash === recall.membersHash) return;
  const { accountId } = owner;
  const target = await findGuildOfServer(db, { accountId, serverId: pull.targetServerId });
  if (!target || target.guildId !== recall.guildId) return deleteRecall(db, owner);
  try {
    await useBot(dependencies, { accountId, botId: target.botId }, async (bot) => {
      const userIds = invited.map(({ platformId }) => platformId);
      const readOwnId = async () => (await bot.readBot()).userId;
      const reason = `Holdfast recall of pull ${owner.pullId}`;
      const guild = bot.guild(target.guildId, { reason });
      await setUsers(dependencies, guild, recall, userIds, readOwnId);
    });
  } catch (error) {
    if (!isLost(error)) throw error;
    log.warn({ err: error, ...owner }, 'an invite can no longer be changed');
    return deleteRecall(db, owner);
  }
  if (invited.length === 0) return deleteRecall(db, owner);
  await db.transaction(async (tx) => {
    await storeRecall(tx, owner, { members: invited.length, membersHash });
    if (recall.membersHash === null) await recordLateRecall(tx, owner, recall, invited.length);
  });
};

/** Whoever asked for it did not live to let the people in. */
const recordLateRecall = (
  tx: Transaction,
  { accountId, pullId }: PullOwner,
  { expiresAt }: LivingRecall,
  members: number,
): Promise<void> =>
  recordAudit(tx, {
    accountId,
    actor: systemActor,
    action: 'pull.recall',
    subject: { type: 'pull', id: pullId },
    changes: { members, expiresAt: expiresAt.toISOString() },
  });

/** An invite for nobody would be one for everybody, so it is deleted, or left to the bot alone. */
const setUsers = async (
  { ring }: Dependencies,
  guild: GuildPlatform,
  recall: LivingRecall,
  userIds: string[],
  readOwnId: () => Promise<string>,
): Promise<void> => {
  const code = openCode(ring, recall);
  if (userIds.length > 0) return guild.setInviteUsers(code, userIds);
  await guild.deleteInvite(code).catch(async (error: unknown) => {
    const isForbidden = error instanceof PlatformFailure && error.kind === 'missingPermission';
    if (!isForbidden) throw error;
    await guild.setInviteUsers(code, [await readOwnId()]);
  });
};

/** The invite is gone, or nobody can change it any more. */
const isLost = (error: unknown): boolean =>
  error instanceof SealBroken ||
  error instanceof BotUnusable ||
  (error instanceof PlatformFailure && (error.kind === 'unknownInvite' || isBotLoss(error.kind)));
