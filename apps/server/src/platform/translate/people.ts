import type { APIBan, APIGuildMember, APIUser } from 'discord-api-types/v10';
import type { Ban, GuildMember } from '../guild.ts';
import type { BotProfile } from '../port.ts';

export const banOf = ({ user, reason }: APIBan): Ban => ({ userId: user.id, reason });

export const memberOf = ({ user, nick, roles, ...member }: APIGuildMember): GuildMember => ({
  userId: user.id,
  nick: nick ?? null,
  roleIds: roles,
  isBot: user.bot ?? false,
  timedOutUntil: member.communication_disabled_until ?? null,
});

export const profileOf = ({ id, username, avatar }: APIUser): BotProfile => ({
  userId: id,
  username,
  avatarHash: avatar,
});
