import type { z } from 'zod';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { Job } from '../../../queue/job.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { lockHealth } from '../../servers/health/queries.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { storeAbsence } from '../queries.ts';
import type { Absence } from '../table.ts';
import { assessHealth, tellOfLoss } from './assess.ts';
import { findAbsence } from './find-absence-job.ts';

type Lost = z.output<typeof findAbsence.payload>;

/** With the job's own time, the owner knows within five seconds. */
const askedForMs = 3000;

/**
 * Asks the platform whether the guild still exists. Where it does not answer in time, the owner is told
 * that it is one or the other.
 */
export const findAbsenceJob = (dependencies: BotDependencies): Job<Lost> => ({
  ...findAbsence,
  async run(lost, signal) {
    const guild = await findGuildOfServer(dependencies.db, lost);
    if (guild?.guildId !== lost.guildId) return;
    const absence = await ask(dependencies, { ...lost, ...guild }, signal);
    signal.throwIfAborted();
    await dependencies.db.transaction(async (tx) => {
      const server = await lockHealth(tx, lost);
      if (server?.guildId !== lost.guildId) return;
      if (!(await storeAbsence(tx, lost, absence))) return;
      await assessHealth(dependencies, tx, lost);
      if (lost.isNew) await tellOfLoss(dependencies, tx, lost, absence);
    });
  },
});

const ask = async (
  dependencies: BotDependencies,
  { accountId, botId, guildId }: Lost & { botId: string },
  signal: AbortSignal,
): Promise<Absence> => {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(askedForMs)]);
  try {
    const exists = await useBot(dependencies, { accountId, botId }, (bot) =>
      bot.guildExists(guildId, { signal: inTime }),
    );
    return exists ? 'REMOVED' : 'DELETED';
  } catch (error) {
    if (error instanceof PlatformFailure || error instanceof BotUnusable) return 'UNKNOWN';
    throw error;
  }
};
