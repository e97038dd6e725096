import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { pauseInvites } from '../contain/pause-invites.ts';
import { lockToContain } from '../queries/containment.ts';
import { beginStep, endStep } from '../queries/steps.ts';
import {
  findWaveToContain,
  markRaidContained,
  type OfWave,
  type WaveToContain,
} from './queries/waves.ts';

export type RaidDependencies = BotDependencies & { clock: Clock; log: Log };

/** Pauses invites while a wave goes on. Safe to run again; its end resumes them by another job. */
export const containRaid = async (
  dependencies: RaidDependencies,
  owner: OfWave,
  run: LeasedRun,
): Promise<void> => {
  const wave = await findWaveToContain(dependencies.db, owner);
  if (!wave || wave.overAt !== null) return;
  try {
    await useBot(dependencies, wave, async (bot) => {
      const reason = auditReasons.raid(wave.incidentId);
      const guild = bot.guild(wave.guildId, { signal: run.signal, reason, isUrgent: true });
      const { invitesPausedUntil: inEffect } = await guild.read();
      await pauseInvites(dependencies, wave, run, { guild, inEffect });
    });
  } catch (error) {
    const isFinal =
      error instanceof BotUnusable || (error instanceof PlatformFailure && !isPassing(error));
    if (!isFinal) throw error;
    const { incidentId } = wave;
    dependencies.log.info({ err: error, incidentId }, 'a raid could not be contained wholly');
    await notePauseFailed(dependencies, wave, run);
  }
  await run.lease.transaction(dependencies.db, (tx) => markRaidContained(tx, wave));
};

/** The bot could not even look at the guild. */
const notePauseFailed = (
  { db }: RaidDependencies,
  wave: WaveToContain,
  { lease }: LeasedRun,
): Promise<void> =>
  lease.transaction(db, async (tx) => {
    if (!(await lockToContain(tx, wave))) return;
    const seq = await beginStep(tx, wave, { kind: 'PAUSE_INVITES' });
    await endStep(tx, wave, { seq, status: 'failed', detail: { code: 'BOT_UNUSABLE' } });
  });
