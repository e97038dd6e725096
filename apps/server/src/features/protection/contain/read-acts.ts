import { entryIdAt } from '../../../platform/audit-log.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import { readMissed } from '../watch/look-at-guild.ts';
import type { Containment } from './containment.ts';

/** The first act that was heard may not have been the first. */
const beforeFirstActMs = 60_000;

/**
 * What was done in the attack, by the audit log, after everybody is stopped: what happened while nobody
 * listened, or is still on its way, would be missing in the repair.
 */
export const readActs = async (
  { dependencies, incident }: Containment,
  guild: GuildPlatform,
): Promise<void> => {
  const since = new Date(incident.firstActAt.getTime() - beforeFirstActMs);
  const given = { ...incident, afterEntryId: entryIdAt(since) };
  await readMissed(dependencies, given, guild).catch((error: unknown) => {
    // What cannot be read by this bot at all keeps nothing back.
    if (!(error instanceof PlatformFailure) || isPassing(error)) throw error;
    dependencies.log.info({ err: error, serverId: incident.serverId }, 'an audit log was not read');
  });
};
