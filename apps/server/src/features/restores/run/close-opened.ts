import { PlatformFailure } from '../../../platform/failures.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import { denyView } from '../plan/visibility.ts';
import type { OpenChannel } from '../verify/check-result-task.ts';
import type { JournalRun } from './journal-run.ts';
import { lastGiven } from './keep-apart.ts';

/**
 * A channel that lets somebody in whom the backup does not is closed at once: it gets again what the restore
 * gave it, else those who are let in are shut out. The names of the channels that were closed.
 */
export const closeOpened = async (
  journal: Pick<JournalRun, 'run' | 'steps' | 'idMap'>,
  open: readonly OpenChannel[],
): Promise<string[]> => {
  const { run } = journal;
  const closed: string[] = [];
  for (const { channel, letIn } of open) {
    // What has the same as a category would get what is given to it: so a category is only closed.
    const given = channel.kind === 'category' ? undefined : await lastGiven(journal, channel.id);
    const isGiven = given === undefined || sameOverwrites(given, channel.overwrites);
    const overwrites = isGiven ? denyView(channel.overwrites, letIn) : given;
    try {
      await run.guild.editChannel(channel.id, { overwrites });
      closed.push(channel.name);
    } catch (error) {
      // What stays open is told as a difference.
      if (!(error instanceof PlatformFailure)) throw error;
    }
  }
  return closed;
};
