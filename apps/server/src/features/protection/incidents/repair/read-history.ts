import { timeOfEntry } from '../../../../platform/audit-log.ts';
import { isPassing, PlatformFailure } from '../../../../platform/failures.ts';
import type { AuditLogEntry } from '../../../../platform/gateway/events.ts';
import type { GuildPlatform } from '../../../../platform/port.ts';

/** What was done in a guild by its audit log, the oldest first, and since when nothing of it is missing. */
export type History = { entries: AuditLogEntry[]; from: Date };

type Reading = {
  since: Date;
  now: Date;
  /** A preview reads little, and what cannot be read at once is missing in it. */
  isQuick: boolean;
};

const pageSize = 100;
const mostPages = { quick: 10, thorough: 300 };
/** The platform keeps entries for 45 days. */
const keptMs = 44 * 24 * 60 * 60 * 1000;

/** Reads the newest first, so that what is known has no holes, wherever the reading ends. */
export const readHistory = async (
  guild: Pick<GuildPlatform, 'readAuditLog'>,
  { since, now, isQuick }: Reading,
): Promise<History> => {
  const entries: AuditLogEntry[] = [];
  const kept = new Date(Math.max(since.getTime(), now.getTime() - keptMs));
  const most = isQuick ? mostPages.quick : mostPages.thorough;
  for (let page = 0; page < most; page++) {
    const before = entries[0]?.entryId;
    const some = await readPage(guild, before, isQuick);
    if (!some) break;
    entries.unshift(...some);
    const isAtEnd = some.length < pageSize;
    if (isAtEnd || timeOf(some[0]) < since.getTime()) return { entries, from: kept };
  }
  return { entries, from: new Date(Math.max(kept.getTime(), timeOf(entries[0], now))) };
};

const timeOf = (entry: AuditLogEntry | undefined, otherwise = new Date(0)): number =>
  entry ? timeOfEntry(entry.entryId) : otherwise.getTime();

/** Undefined where the bot may not read it. */
const readPage = (
  guild: Pick<GuildPlatform, 'readAuditLog'>,
  before: string | undefined,
  isQuick: boolean,
): Promise<AuditLogEntry[] | undefined> =>
  guild
    .readAuditLog({ limit: pageSize, ...(before !== undefined && { before }) })
    .catch((error: unknown) => {
      if (!(error instanceof PlatformFailure)) throw error;
      if (isPassing(error) && !isQuick) throw error;
      return undefined;
    });
