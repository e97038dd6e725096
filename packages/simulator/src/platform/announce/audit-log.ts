export type AuditChange = { key: string; old_value?: unknown; new_value?: unknown };

/** What was done, before it is known by whom. */
export type AuditDraft = {
  action_type: number;
  target_id: string | null;
  changes?: AuditChange[];
  options?: Record<string, string>;
};

export type AuditEntry = AuditDraft & { id: string; user_id: string | null; reason?: string };

/** Bounds the memory of a long run: of each guild the newest are kept. */
const MAX_ENTRIES = 2000;

/** The audit logs of all guilds, the newest entry last. A guild that is set anew keeps its own. */
export const createAuditLogs = () => {
  const logs = new Map<string, AuditEntry[]>();
  return {
    of: (guildId: string): readonly AuditEntry[] => logs.get(guildId) ?? [],
    add: (guildId: string, entry: AuditEntry) => {
      const entries = logs.get(guildId) ?? [];
      logs.set(guildId, entries);
      entries.push(entry);
      if (entries.length > MAX_ENTRIES) entries.shift();
    },
  };
};

export type AuditLogs = ReturnType<typeof createAuditLogs>;
