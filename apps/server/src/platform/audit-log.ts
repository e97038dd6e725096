import type { AuditLogEntry } from './gateway/events.ts';
import type { GuildPlatform } from './port.ts';

const platformEpochMs = 1_420_070_400_000n;

/** When it happened: an id of the platform begins with its time. */
export const timeOfEntry = (entryId: string): number =>
  Number((BigInt(entryId) >> 22n) + platformEpochMs);

/** Entries from then on have a larger id. */
export const entryIdAt = (time: Date): string =>
  String((BigInt(time.getTime()) - platformEpochMs) << 22n);

const pageSize = 100;

/** What the audit log has after an entry, the oldest first; undefined where that is more than so many pages. */
export const readEntriesAfter = async (
  guild: Pick<GuildPlatform, 'readAuditLog'>,
  entryId: string,
  mostPages: number,
): Promise<AuditLogEntry[] | undefined> => {
  const all: AuditLogEntry[] = [];
  for (let page = 0; page < mostPages; page++) {
    const after = all.at(-1)?.entryId ?? entryId;
    const entries = await guild.readAuditLog({ after, limit: pageSize });
    all.push(...entries);
    if (entries.length < pageSize) return all;
  }
  return undefined;
};
