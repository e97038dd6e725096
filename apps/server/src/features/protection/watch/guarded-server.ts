import { defaultThresholds } from '@holdfast/contract';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import { permission } from '../../../platform/permissions.ts';
import type { GuardedRow } from '../queries/watched.ts';
import type { Surroundings } from './classify.ts';
import type { Guard } from './judge.ts';

type OtherBot = { serverId: string; accountId: string; botUserId: string };

/** A server whose guild is watched, with what acts are judged by. */
export type GuardedServer = {
  serverId: string;
  accountId: string;
  botId: string;
  guildId: string;
  botUserId: string;
  /** Bots of other servers for the same guild, of whichever account. */
  otherBots: readonly OtherBot[];
  guard: Guard;
  /** The permissions of each role; undefined until they were heard or read. */
  roles: ReadonlyMap<string, string> | undefined;
  /** Those that the bot has itself, as far as they are known. */
  botRoleIds: ReadonlySet<string>;
  lastEntryId: string | null;
};

export const guardedServerOf = (row: GuardedRow): GuardedServer => ({
  serverId: row.serverId,
  accountId: row.accountId,
  botId: row.botId,
  guildId: row.guildId,
  // The two differ for a few old applications only, and then until the guild was read once.
  botUserId: row.botUserId ?? row.clientId,
  otherBots: row.otherBots,
  guard: {
    thresholds: { ...defaultThresholds, ...row.thresholds },
    trusted: new Set(row.trusted?.map(({ platformId }) => platformId)),
    ownerId: row.ownerId,
    // A look that was refused stores that there are no roles: then the owner stays unknown.
    awaitsOwner: row.ownerId === null && row.roles === null,
  },
  roles: row.roles ? new Map(Object.entries(row.roles)) : undefined,
  botRoleIds: new Set(row.botRoleIds),
  lastEntryId: row.lastEntryId,
});

/** What an event tells about a guild's owner and roles; the same where it tells nothing. */
export const withEvent = (server: GuardedServer, event: GuildEvent): GuardedServer => {
  switch (event.kind) {
    case 'guildAvailable':
      return {
        ...server,
        guard: { ...server.guard, ownerId: event.ownerId, awaitsOwner: false },
        roles: new Map(event.roles.map(({ id, permissions }) => [id, permissions])),
      };
    case 'guildChanged':
      return {
        ...server,
        guard: { ...server.guard, ownerId: event.ownerId, awaitsOwner: false },
      };
    case 'roleCreated':
    case 'roleChanged': {
      const { id, permissions } = event.role;
      if (!server.roles || server.roles.get(id) === permissions) return server;
      return { ...server, roles: new Map(server.roles).set(id, permissions) };
    }
    case 'roleDeleted': {
      if (!server.roles?.has(event.roleId)) return server;
      const roles = new Map(server.roles);
      roles.delete(event.roleId);
      return { ...server, roles };
    }
    case 'memberChanged':
      return event.userId === server.botUserId
        ? { ...server, botRoleIds: new Set(event.roleIds) }
        : server;
    default:
      return server;
  }
};

/** Whether the bot may be able to do less than before. */
export const touchesBot = (server: GuardedServer, event: GuildEvent): boolean => {
  switch (event.kind) {
    case 'guildGone':
      return true;
    case 'memberChanged':
      return event.userId === server.botUserId;
    case 'roleChanged':
      return server.botRoleIds.has(event.role.id);
    case 'roleDeleted':
      return server.botRoleIds.has(event.roleId);
    default:
      return false;
  }
};

export const surroundingsOf = ({
  botUserId,
  botRoleIds,
  guildId,
  roles,
}: GuardedServer): Surroundings => ({
  botUserId,
  isBotRole: (roleId) => botRoleIds.has(roleId),
  // Of what is dangerous, the platform gives everybody in a new guild only this.
  everyoneMay: BigInt(roles?.get(guildId) ?? permission.mentionEveryone),
  permissionsOf(roleId) {
    const permissions = roles?.get(roleId);
    return permissions === undefined ? undefined : BigInt(permissions);
  },
});
