import { z } from 'zod';
import { Permission } from '../guild/permissions.ts';
import { presentUser } from '../guild/present.ts';
import { accessGuild } from '../http/access.ts';
import { limitField, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp } from '../platform.ts';
import { compareSnowflakes } from '../snowflakes.ts';
import type { AuditEntry } from './audit-log.ts';

const querySchema = z.object({
  user_id: snowflakeField.optional(),
  target_id: snowflakeField.optional(),
  action_type: z.coerce.number().int().min(1).optional(),
  before: snowflakeField.optional(),
  after: snowflakeField.optional(),
  limit: limitField(50, 100),
});

type Query = z.output<typeof querySchema>;

export const mountAuditRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/audit-logs', (c) => {
    const { guild } = accessGuild(platform, c, Permission.ViewAuditLog);
    const page = pageOf(platform.auditLogs.of(guild.id), readQuery(c, querySchema));
    const userIds = new Set(page.flatMap((entry) => peopleOf(entry)));
    return c.json({
      audit_log_entries: page,
      users: [...userIds].map((id) => presentUser(platform.identities, id)),
      integrations: [],
      webhooks: [],
      guild_scheduled_events: [],
      threads: [],
      application_commands: [],
      auto_moderation_rules: [],
    });
  });
};

/** Newest first; with `after`, the oldest that come after it first, as the platform pages. */
const pageOf = (entries: readonly AuditEntry[], query: Query): AuditEntry[] => {
  const { user_id, target_id, action_type, before, after, limit } = query;
  const wanted = entries.filter(
    (entry) =>
      (user_id === undefined || entry.user_id === user_id) &&
      (target_id === undefined || entry.target_id === target_id) &&
      (action_type === undefined || entry.action_type === action_type) &&
      (before === undefined || compareSnowflakes(entry.id, before) < 0) &&
      (after === undefined || compareSnowflakes(entry.id, after) > 0),
  );
  return after === undefined ? wanted.slice(-limit).reverse() : wanted.slice(0, limit);
};

/** Kicks, bans, members and bots have a user as their target. */
const peopleOf = ({ user_id, target_id, action_type }: AuditEntry): string[] => {
  const isOfUser = action_type >= 20 && action_type < 30;
  return [user_id, isOfUser ? target_id : null].filter((id) => id !== null);
};
