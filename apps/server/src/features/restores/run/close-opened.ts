import { PlatformFailure } from '../../../platform/failures.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';
import type { GuildState } from '../plan/step.ts';
import { denyView } from '../plan/visibility.ts';
import { findOpenChannels } from '../verify/channels.ts';
import type { JournalRun } from './journal-run.ts';
import { lastGiven } from './keep-apart.ts';

type Wanted = { snapshot: Snapshot; idMap: IdMap };

/**
 * A channel that lets somebody in whom the backup does not is closed at once: it gets again what the restore
 * gave it, else those who are let in are shut out. The names of the channels that were closed.
 */
export const closeOpened = async (
  journal: Pick<JournalRun, 'run' | 'steps' | 'idMap'>,
  { snapshot, idMap }: Wanted,
  actual: GuildState,
): Promise<string[]> => {
  const { run } = journal;
  if (!run.restore.components.includes('channels') || !snapshot.channels) return [];
  const closed: string[] = [];
  for (const { channel, letIn } of findOpenChannels(snapshot, actual, idMap)) {
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
