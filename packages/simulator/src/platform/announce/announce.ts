import type { Guild } from '../guild/guild.ts';
import { Permission } from '../guild/permissions.ts';
import { reasonOf } from '../http/audit-reason.ts';
import type { Platform, PlatformContext } from '../platform.ts';
import { auditOf } from './audit.ts';
import type { AuditDraft } from './audit-log.ts';
import { eventsOf } from './events.ts';
import { withPermission } from './visibility.ts';
import { compare, type Difference, type Watched } from './watch.ts';

/** Who made a change. Without an actor it is told, but nobody's: the audit log has no entry of it. */
export type By = { origin: string; actor: { userId: string | null; reason: string | null } | null };

const originOf = (c: PlatformContext): string => new URL(c.req.url).origin;

/** The bot of the request, or a person who acts by a token of their own. */
export const byCaller = (c: PlatformContext): By => ({
  origin: originOf(c),
  actor: { userId: c.get('bot')?.id ?? null, reason: reasonOf(c) },
});

export const byNobody = (c: PlatformContext): By => ({ origin: originOf(c), actor: null });

/** Who acts in their own client: no request of theirs is seen here. */
export const byUser = (c: PlatformContext, userId: string): By => ({
  origin: originOf(c),
  actor: { userId, reason: null },
});

/**
 * The one place that every change goes through: compares what was watched with what is there now, tells
 * the sessions of each difference, and writes the audit log.
 */
export const announce = (
  platform: Platform,
  by: By,
  watched: Watched,
  guild: Guild = watched.guild,
) => {
  const differences = compare(watched, guild);
  if (differences.length === 0) return;
  // Who has just come is told of the whole guild instead.
  const newcomers = new Set(
    differences.flatMap(({ part, id, before }) => (part === 'members' && !before ? [id] : [])),
  );
  if (platform.gateway.isHeard(guild)) tellEvents(platform, by, guild, differences, newcomers);
  tellComingAndGoing(platform, guild, differences);
  if (!by.actor) return;
  for (const difference of differences) {
    const drafts = auditOf({ guild, identities: platform.identities }, difference);
    for (const draft of drafts) writeAudit(platform, by, guild, draft, newcomers);
  }
};

const tellEvents = (
  platform: Platform,
  { origin }: By,
  guild: Guild,
  differences: Difference[],
  exceptFor: ReadonlySet<string>,
) => {
  const told = new Set<string>();
  for (const difference of differences) {
    for (const event of eventsOf({ platform, guild, origin }, difference)) {
      if (event.once !== undefined && told.has(event.once)) continue;
      if (event.once !== undefined) told.add(event.once);
      platform.gateway.dispatch(guild, { ...event, exceptFor });
    }
  }
};

/** A bot that came sees the guild for the first time; one that went sees no more of it. */
const tellComingAndGoing = ({ gateway }: Platform, guild: Guild, differences: Difference[]) => {
  for (const { part, id, before, after } of differences) {
    if (part !== 'members') continue;
    if (!before) gateway.tellGuild(id, guild);
    if (!after) {
      gateway.dispatchTo(id, guild, { name: 'GUILD_DELETE', data: () => ({ id: guild.id }) });
    }
  }
};

/** For what no comparison shows, such as who deleted a message. */
export const writeAudit = (
  platform: Platform,
  { actor }: By,
  guild: Guild,
  draft: AuditDraft,
  exceptFor?: ReadonlySet<string>,
) => {
  if (!actor) return;
  const { userId: user_id, reason } = actor;
  const entry = {
    id: platform.world.nextId(),
    user_id,
    ...draft,
    ...(draft.changes?.length === 0 && { changes: undefined }),
    ...(reason !== null && { reason }),
  };
  platform.auditLogs.add(guild.id, entry);
  platform.gateway.dispatch(guild, {
    name: 'GUILD_AUDIT_LOG_ENTRY_CREATE',
    shapeFor: withPermission(Permission.ViewAuditLog),
    data: () => ({ ...entry, guild_id: guild.id }),
    exceptFor,
  });
};
