import type { healthEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import { violatedConstraint } from '../../db/failures.ts';
import type { Actor, Handlers, OwnedServer } from '../../http/handler.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { createBackupWithinPlan } from '../backups/capture/create-backup.ts';
import { runBackup } from '../backups/jobs.ts';
import { deleteWaitingAcceptance, updateBackup } from '../backups/queries.ts';
import { defaultComponents } from '../backups/rules.ts';
import { findBotToUse } from '../bots/queries.ts';
import { hasActiveRestore } from '../restores/queries/restores.ts';
import { lockHealth } from '../servers/health/queries.ts';
import { findGuildOfServer } from '../servers/queries.ts';
import { findLiveGuild } from './queries.ts';

type Dependencies = {
  queue: Pick<Queue, 'enqueue'>;
  clock: Clock;
  /** When it takes effect where a key decides it, of which the owner is told; else undefined. */
  delayDecision(
    tx: Transaction,
    owner: { accountId: string; serverId: string },
    decision: { actor: Actor; decided: 'accept'; subjectId: string },
  ): Promise<{ at: Date; seconds: number } | undefined>;
};

export const healthHandlers = ({
  queue,
  clock,
  delayDecision,
}: Dependencies): Handlers<typeof healthEndpoints> => ({
  async acceptHealth(tx, { account, actor, server }) {
    const { accountId } = account;
    const owner = { accountId, serverId: server.id };
    const stored = await lockHealth(tx, owner);
    if (!stored) throw notFound('Server');
    const live = await findLiveGuild(tx, { ...owner, guildId: stored.guildId });
    // It takes effect at once now.
    if (actor.type !== 'KEY') await deleteWaitingAcceptance(tx, server);
    const acceptedAt = clock.now();
    const backup = await createBackupWithinPlan(tx, {
      ...{ account, server, kind: 'MANUAL', components: defaultComponents },
      name: `Accepted ${acceptedAt.toISOString()}`,
      accepted: {
        acceptedAt,
        structure: live ? { channelIds: live.channelIds, roleIds: live.roleIds } : null,
      },
    }).catch((error) => {
      const isAccepting = violatedConstraint(error) === 'backups_accepting';
      throw isAccepting ? conflict('The backup that accepts this state is under way') : error;
    });
    await requireAcceptable(tx, server, { isLost: live?.isInGuild === false });
    const ofBackup = { backupId: backup.id, accountId };
    const of = { actor, decided: 'accept' as const, subjectId: backup.id };
    const delay = await delayDecision(tx, owner, of);
    if (delay) await updateBackup(tx, ofBackup, { acceptsAt: delay.at });
    const options = delay && { startAfterSeconds: delay.seconds };
    await queue.enqueue(tx, runBackup, ofBackup, options);
    await recordAudit(tx, {
      ...{ accountId, actor, action: 'backup.create' },
      subject: { type: 'backup', id: backup.id },
      changes: {
        ...{ serverId: server.id, name: backup.name, acceptsHealth: stored.health },
        ...(delay && { at: delay.at.toISOString() }),
      },
    });
    return { ...backup, pending: delay ? { action: 'accept' as const, at: delay.at } : null };
  },
});

/** There must be a state to accept, and one that a backup can see. */
const requireAcceptable = async (
  tx: Transaction,
  { id: serverId, accountId }: OwnedServer,
  { isLost }: { isLost: boolean },
): Promise<void> => {
  if (isLost) throw conflict('The bot is not in the guild: there is no state to accept');
  const guild = await findGuildOfServer(tx, { accountId, serverId });
  const bot = guild && (await findBotToUse(tx, guild.botId, accountId));
  if (!bot?.isActive) throw conflict('The bot of this server is switched off: switch it on first');
  if (await hasActiveRestore(tx, { accountId, serverId })) {
    throw conflict('A restore of this server is under way: wait until it has ended');
  }
};
