import { type PrivilegedIntent, privilegedIntents } from '@holdfast/contract';
import { ApplicationFlags } from 'discord-api-types/v10';
import type { z } from 'zod';
import type { Application } from '../port.ts';
import type { application } from '../shapes/application.ts';

/** An application in few guilds has the limited flag, one that the platform approved the other. */
const flagsOfIntent: Record<PrivilegedIntent, number> = {
  GUILD_MEMBERS: ApplicationFlags.GatewayGuildMembers | ApplicationFlags.GatewayGuildMembersLimited,
  GUILD_PRESENCES: ApplicationFlags.GatewayPresence | ApplicationFlags.GatewayPresenceLimited,
  MESSAGE_CONTENT:
    ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited,
};

export const intentsOf = (flags: number): PrivilegedIntent[] =>
  privilegedIntents.filter((intent) => (flags & flagsOfIntent[intent]) !== 0);

export const applicationOf = (found: z.output<typeof application>): Application => ({
  clientId: found.id,
  name: found.name,
  avatar: found.bot?.avatar ? { userId: found.bot.id, hash: found.bot.avatar } : null,
  publicKey: found.verify_key,
  redirectUris: found.redirect_uris,
  intents: intentsOf(found.flags),
  guildCount: found.approximate_guild_count,
});
