import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { GuildPlatform } from '../port.ts';
import { auditLogEntry } from '../shapes/audit-log.ts';
import { auditEntryOf } from '../translate/audit-log.ts';

type ProtectionCalls = Pick<GuildPlatform, 'kick' | 'banMany' | 'pauseInvites' | 'readAuditLog'>;

const auditLog = z.object({ audit_log_entries: z.array(auditLogEntry) });

const bulkBan = z.object({ failed_users: z.array(z.string()) });

export const createProtectionCalls = ({ guildId, call, send }: GuildCalls): ProtectionCalls => ({
  kick: async (userId) =>
    send({ method: 'DELETE', path: path`guilds/${guildId}/members/${userId}` }),
  async banMany(userIds, reason) {
    const { failed_users } = await call({
      method: 'POST',
      path: path`guilds/${guildId}/bulk-ban`,
      body: { user_ids: userIds },
      reason,
      answer: bulkBan,
    });
    return { notBanned: failed_users };
  },
  pauseInvites: async (until) =>
    send({
      method: 'PUT',
      path: path`guilds/${guildId}/incident-actions`,
      body: { invites_disabled_until: until?.toISOString() ?? null },
    }),
  async readAuditLog({ after, before, limit }) {
    const { audit_log_entries: entries } = await call({
      method: 'GET',
      path: path`guilds/${guildId}/audit-logs`,
      query: { limit: String(limit), ...(after && { after }), ...(before && { before }) },
      answer: auditLog,
    });
    // The platform's order depends on what is asked for.
    return entries.map((entry) => auditEntryOf(guildId, entry)).sort(byAge);
  },
});

const byAge = (one: { entryId: string }, other: { entryId: string }): number =>
  BigInt(one.entryId) < BigInt(other.entryId) ? -1 : 1;
