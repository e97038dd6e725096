import type { Thread, ThreadMember } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';

const MAX_SHOWN_MEMBERS = 50;

export const presentThread = (guild: Guild, thread: Thread, memberId?: string) => {
  const { members, ...fields } = thread;
  const own = members.find(({ user_id }) => user_id === memberId);
  return {
    ...fields,
    message_count: countMessages(guild, thread),
    // The platform counts no further.
    member_count: Math.min(members.length, MAX_SHOWN_MEMBERS),
    ...(own && { member: presentThreadMember(thread, own) }),
  };
};

export const presentThreadMember = ({ id }: Thread, member: ThreadMember) => ({ id, ...member });

/** The first message of a forum post is not counted. */
const countMessages = ({ messages }: Guild, { id }: Thread): number => {
  const inThread = messages.get(id);
  return (inThread?.size ?? 0) - (inThread?.has(id) ? 1 : 0);
};
