import type { APIBan, APIGuildMember, APIUser } from 'discord-api-types/v10';
import type { z } from 'zod';
import type { Ban, GuildMember, Message } from '../guild.ts';
import type { BotProfile } from '../port.ts';
import type { message } from '../shapes/people.ts';

export const banOf = ({ user, reason }: APIBan): Ban => ({ userId: user.id, reason });

export const memberOf = ({ user, nick, roles }: APIGuildMember): GuildMember => ({
  userId: user.id,
  nick: nick ?? null,
  roleIds: roles,
  isBot: user.bot ?? false,
});

export const profileOf = ({ id, username, avatar }: APIUser): BotProfile => ({
  userId: id,
  username,
  avatarHash: avatar,
});

export const messageOf = (from: z.output<typeof message>): Message => ({
  id: from.id,
  authorId: from.author.id,
  authorName: from.author.global_name ?? from.author.username,
  content: from.content,
  sentAt: from.timestamp,
  editedAt: from.edited_timestamp,
  isPinned: from.pinned,
  attachments: from.attachments.map((file) => ({
    id: file.id,
    fileName: file.filename,
    contentType: file.content_type ?? null,
    sizeBytes: file.size,
  })),
});
