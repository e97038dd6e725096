import { entryIdAt, timeOfEntry } from '../../../platform/audit-log.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import type { RestoreRun } from './restore-run.ts';

type Run = Pick<RestoreRun, 'guild' | 'readBotMember' | 'owner'>;

/** A role and its entry have times of their own. */
const marginMs = 10_000;
const pageSize = 100;
const mostPages = 10;

/**
 * Those of the roles that this restore made, as the audit log says. Somebody else can have made one of the same
 * name, and hold it when it gets its power. Where the log cannot be read none is: one without permissions that is
 * left over is better than that.
 */
export const keepOwnRoles = async (run: Run, roleIds: readonly string[]): Promise<string[]> => {
  if (roleIds.length === 0) return [];
  const { userId } = await run.readBotMember();
  const reason = auditReasons.restore(run.owner.restoreId);
  const own = new Set<string>();
  // An id of the platform begins with the time, of a role too.
  const firstMs = Math.min(...roleIds.map(timeOfEntry));
  let after = entryIdAt(new Date(firstMs - marginMs));
  for (let page = 0; page < mostPages && own.size < roleIds.length; page++) {
    const entries = await readPage(run, after);
    for (const { action, executorId, targetId, ...entry } of entries) {
      const isOwn = action === 'roleCreated' && executorId === userId && entry.reason === reason;
      if (isOwn && targetId !== null && roleIds.includes(targetId)) own.add(targetId);
    }
    after = entries.at(-1)?.entryId ?? after;
    if (entries.length < pageSize) break;
  }
  return [...own];
};

const readPage = ({ guild }: Run, after: string): Promise<AuditLogEntry[]> =>
  guild.readAuditLog({ after, limit: pageSize }).catch((error: unknown) => {
    if (error instanceof PlatformFailure && !isPassing(error)) return [];
    throw error;
  });
