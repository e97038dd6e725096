import { ApplicationFlags } from 'discord-api-types/v10';
import type { PrivilegedIntent } from '../port.ts';

/** An application in few guilds has the limited flag, one that the platform approved the other. */
const flagsOfIntent: Record<PrivilegedIntent, number> = {
  GUILD_MEMBERS: ApplicationFlags.GatewayGuildMembers | ApplicationFlags.GatewayGuildMembersLimited,
  GUILD_PRESENCES: ApplicationFlags.GatewayPresence | ApplicationFlags.GatewayPresenceLimited,
  MESSAGE_CONTENT:
    ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited,
};

const privilegedIntents = Object.keys(flagsOfIntent) as PrivilegedIntent[];

export const intentsOf = (flags: number): PrivilegedIntent[] =>
  privilegedIntents.filter((intent) => (flags & flagsOfIntent[intent]) !== 0);
