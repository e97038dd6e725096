import type { SeenIds } from '../../servers/guild/guild-summary.ts';

/**
 * The ids by which a guild is compared with a backup. Without roles of integrations, which cannot be made
 * anew, and without the role that everybody has, which cannot be deleted.
 */
export type GuildStructure = { channelIds: string[]; roleIds: string[] };

/** Of a backup that lacks a section nothing is missing in it. */
export const structureOf = (
  { roles = new Set(), managedRoles = new Set(), channels = new Set() }: SeenIds,
  guildId: string,
): GuildStructure => ({
  channelIds: [...channels],
  roleIds: [...roles].filter((id) => id !== guildId && !managedRoles.has(id)),
});
