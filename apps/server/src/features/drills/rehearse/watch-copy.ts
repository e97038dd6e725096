import { timeOfEntry } from '../../../platform/audit-log.ts';
import type { AuditLogEntry, GuildEvent } from '../../../platform/gateway/events.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import {
  callStop,
  readSeenGuild,
  readStopTarget,
  type StopOutcome,
} from '../../protection/contain/stop-call.ts';
import { createActMemory } from '../../protection/watch/act-memory.ts';
import { kindOf } from '../../protection/watch/classify.ts';
import {
  type GuardedServer,
  surroundingsOf,
  withEvent,
} from '../../protection/watch/guarded-server.ts';
import { judgeAlone, judgeTogether } from '../../protection/watch/judge.ts';
import { isCounted, isWatched } from '../../protection/watch/kinds.ts';

type Watcher = { platform: BotPlatform; server: GuardedServer; signal: AbortSignal };

/** When it was an attack, and when the attacker was stopped, by this process's own clock. */
type Stop = { stoppedAt: number; outcome: StopOutcome };

/**
 * Watches the copy as protection watches the server: by the same rules, and with the same calls to stop
 * whoever attacks. What it hears is kept in memory only.
 */
export const watchCopy = ({ platform, server: guarded, signal }: Watcher) => {
  const memory = createActMemory();
  const { promise: stopped, resolve, reject } = Promise.withResolvers<Stop>();
  const entries: AuditLogEntry[] = [];
  let server = guarded;
  let detectedAt: number | undefined;
  let armed: ReturnType<typeof readStopTarget> | undefined;

  const arm = (executorId: string) => {
    armed ??= readStopTarget(platform, server, executorId, {
      ...{ seen: readSeenGuild(platform, server, { signal }), signal },
    });
    return armed;
  };
  const stop = async (executorId: string) => {
    const target = await arm(executorId);
    if (!target) throw new Error('The attacker is not in the copy');
    const outcome = await callStop(platform, server, target, signal);
    resolve({ stoppedAt: performance.now(), outcome });
  };
  const judge = (entry: AuditLogEntry) => {
    const { executorId, entryId, targetId } = entry;
    if (detectedAt !== undefined || executorId === null || executorId === server.botUserId) return;
    const kind = kindOf(entry, surroundingsOf(server));
    if (!isWatched(kind)) return;
    memory.add(entryId, { executorId, kind, targetId, atMs: timeOfEntry(entryId) });
    const verdict =
      judgeAlone(memory.all(), server.guard, executorId) ??
      (isCounted(kind) ? judgeTogether(memory.all(), server.guard, kind)[0] : undefined);
    if (verdict) {
      detectedAt = performance.now();
      stop(verdict.executorId).catch(reject);
    } else arm(executorId).catch(reject);
  };

  return {
    hear(event: GuildEvent): void {
      server = withEvent(server, event);
      if (event.kind !== 'auditEntry') return;
      entries.push(event);
      judge(event);
    },
    /** Everything that was heard of the audit log. */
    entries,
    stopped,
    detectedAt: () => detectedAt,
  };
};
