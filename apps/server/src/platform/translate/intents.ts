import { type PrivilegedIntent, privilegedIntents } from '@holdfast/contract';
import { ApplicationFlags } from 'discord-api-types/v10';

/** An application in few guilds has the limited flag, one that the platform approved the other. */
const flagsOfIntent: Record<PrivilegedIntent, number> = {
  GUILD_MEMBERS: ApplicationFlags.GatewayGuildMembers | ApplicationFlags.GatewayGuildMembersLimited,
  GUILD_PRESENCES: ApplicationFlags.GatewayPresence | ApplicationFlags.GatewayPresenceLimited,
  MESSAGE_CONTENT:
    ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited,
};

export const intentsOf = (flags: number): PrivilegedIntent[] =>
  privilegedIntents.filter((intent) => (flags & flagsOfIntent[intent]) !== 0);
