import type { Message } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import type { AllowedMentions } from './schema.ts';

type Mentions = Pick<Message, 'mention_ids' | 'mention_roles' | 'mention_everyone'>;

type Writer = {
  /** May notify everyone, and every role whether it is mentionable or not. */
  mentionsEveryone: boolean;
  allowed: AllowedMentions | null | undefined;
  /** The author of the message that is replied to. */
  repliedId?: string;
};

/** Whom a message notifies: what its content names, less what `allowed_mentions` suppresses. */
export const findMentions = (guild: Guild, content: string, writer: Writer): Mentions => {
  const { allowed, mentionsEveryone, repliedId } = writer;
  const isAllowed = (kind: 'users' | 'roles', id: string) =>
    !allowed || (allowed.parse?.includes(kind) ?? false) || (allowed[kind]?.includes(id) ?? false);
  const userIds = idsIn(content, /<@!?(\d+)>/g).filter((id) => isAllowed('users', id));
  const isReplyRung = allowed?.replied_user ?? !allowed;
  const roleIds = idsIn(content, /<@&(\d+)>/g).filter((id) => {
    const isMentionable = mentionsEveryone || guild.roles.get(id)?.mentionable;
    return guild.roles.has(id) && isMentionable && isAllowed('roles', id);
  });
  return {
    mention_ids: [...new Set([...userIds, ...(repliedId && isReplyRung ? [repliedId] : [])])],
    mention_roles: roleIds,
    mention_everyone:
      mentionsEveryone &&
      /@(everyone|here)\b/.test(content) &&
      (!allowed || (allowed.parse?.includes('everyone') ?? false)),
  };
};

const idsIn = (content: string, pattern: RegExp): string[] => [
  ...new Set([...content.matchAll(pattern)].flatMap(([, id]) => id ?? [])),
];
