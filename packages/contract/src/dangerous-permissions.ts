/**
 * Permissions that give power over other people or over the server itself, by the platform's names.
 * Templates never hold them, and a restore that gives one to @everyone or to an existing role says so.
 */
export const dangerousPermissions = [
  'ADMINISTRATOR',
  'MANAGE_GUILD',
  'MANAGE_ROLES',
  'MANAGE_CHANNELS',
  'MANAGE_WEBHOOKS',
  'BAN_MEMBERS',
  'KICK_MEMBERS',
  'MODERATE_MEMBERS',
  'MANAGE_MESSAGES',
  'MANAGE_NICKNAMES',
  'MANAGE_THREADS',
  'MANAGE_GUILD_EXPRESSIONS',
  'MANAGE_EVENTS',
  'VIEW_AUDIT_LOG',
  'MENTION_EVERYONE',
] as const;
export type DangerousPermission = (typeof dangerousPermissions)[number];
