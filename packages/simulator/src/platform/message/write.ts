import type { Message, MessageReference } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import { newMessage } from '../guild/new-guild.ts';
import { attachmentKey, type World } from '../guild/world.ts';
import { ApiError } from '../http/api-error.ts';
import { type Files, requireFilesAllowed, storeFiles } from './attachments.ts';
import { requireComponents } from './components.ts';
import { findMentions } from './mentions.ts';
import { type MessageFields, requireEmbedSize } from './schema.ts';

export type Draft = {
  /** The channel or thread. */
  placeId: string;
  authorId: string;
  fields: MessageFields;
  files: Files;
  mentionsEveryone: boolean;
  stickers?: Message['sticker_items'];
  reference?: MessageReference;
  /** The author of the message that is replied to. */
  repliedId?: string;
  type?: number;
  /** A forum post has the id of its first message. */
  id?: string;
};

export const writeMessage = async (world: World, guild: Guild, draft: Draft): Promise<Message> => {
  const { fields, files, placeId } = draft;
  requireContent(draft);
  requireEmbedSize(fields.embeds ?? []);
  requireComponents(fields.components ?? []);
  requireFilesAllowed(guild, files);
  const content = (fields.content ?? '').trim();
  const { mentionsEveryone, repliedId } = draft;
  const allowed = fields.allowed_mentions;
  const message = newMessage({
    id: draft.id ?? world.nextId(),
    channel_id: placeId,
    author_id: draft.authorId,
    content,
    tts: fields.tts ?? false,
    embeds: (fields.embeds ?? []).map(completeEmbed),
    components: numberComponents(fields.components ?? []),
    attachments: await storeFiles(world, placeId, files, fields.attachments),
    sticker_items: draft.stickers ?? [],
    ...findMentions(guild, content, { mentionsEveryone, allowed, repliedId }),
    ...(draft.reference && { message_reference: draft.reference }),
    ...(fields.poll && { poll: completePoll(fields.poll) }),
    type: draft.type ?? 0,
    flags: fields.flags ?? 0,
  });
  addMessage(guild, message);
  return message;
};

/** Also for messages of the platform's own, which no request wrote. */
export const addMessage = (guild: Guild, message: Message): Message => {
  const { id, channel_id } = message;
  const messages = guild.messages.get(channel_id) ?? new Map<string, Message>();
  guild.messages.set(channel_id, messages.set(id, message));
  const thread = guild.threads.get(channel_id);
  const place = thread ?? guild.channels.get(channel_id);
  if (place) place.last_message_id = id;
  if (!thread) return message;
  // The first message of a forum post is not counted.
  if (id !== thread.id) thread.total_message_sent += 1;
  thread.thread_metadata.archived = false;
  return message;
};

/** Applied as a whole: a refused change leaves the message as it was. */
export const editMessage = async (
  world: World,
  guild: Guild,
  message: Message,
  { fields, files, mentionsEveryone }: Pick<Draft, 'fields' | 'files' | 'mentionsEveryone'>,
) => {
  const { content, embeds, components, flags, attachments, allowed_mentions: allowed } = fields;
  requireEmbedSize(embeds ?? []);
  requireComponents(components ?? []);
  requireFilesAllowed(guild, files);
  if (content !== undefined) {
    message.content = (content ?? '').trim();
    Object.assign(message, findMentions(guild, message.content, { mentionsEveryone, allowed }));
  }
  if (embeds !== undefined) message.embeds = (embeds ?? []).map(completeEmbed);
  if (components !== undefined) message.components = numberComponents(components ?? []);
  if (flags != null) message.flags = flags;
  if (attachments) keepAttachments(world, message, new Set(attachments.map(({ id }) => id)));
  const added = await storeFiles(world, message.channel_id, files, attachments);
  message.attachments = [...message.attachments, ...added];
  message.edited_timestamp = new Date().toISOString();
};

const keepAttachments = (world: World, message: Message, keptIds: Set<string>) => {
  for (const attachment of message.attachments) {
    if (!keptIds.has(attachment.id))
      world.images.delete(attachmentKey(message.channel_id, attachment));
  }
  message.attachments = message.attachments.filter(({ id }) => keptIds.has(id));
};

const requireContent = ({ fields, files, stickers, reference }: Draft) => {
  const { content, embeds, components, poll } = fields;
  const isForward = reference?.type === 1;
  const lists = [embeds, components, stickers];
  const hasContent = content?.trim() || lists.some((list) => list?.length) || files.size || poll;
  if (!hasContent && !isForward) throw new ApiError(400, 50006, 'Cannot send an empty message');
};

/** Empty fields are not kept. */
const completeEmbed = (embed: Record<string, unknown>): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(embed).filter(([, value]) => value != null)),
  type: 'rich',
});

/** Components without an id get one, in the order of the tree. */
const numberComponents = (components: Record<string, unknown>[]): Record<string, unknown>[] => {
  let next = 0;
  const number = (component: Record<string, unknown>): Record<string, unknown> => {
    next += 1;
    const numbered = { id: next, ...component };
    const { components: children } = component;
    return Array.isArray(children) ? { ...numbered, components: children.map(number) } : numbered;
  };
  return components.map(number);
};

const DEFAULT_POLL_HOURS = 24;

const completePoll = (poll: Record<string, unknown>): Record<string, unknown> => {
  const { duration, answers, ...fields } = poll;
  const hours = typeof duration === 'number' ? duration : DEFAULT_POLL_HOURS;
  return {
    allow_multiselect: false,
    layout_type: 1,
    ...fields,
    answers: Array.isArray(answers)
      ? answers.map((answer, index) => ({ ...answer, answer_id: index + 1 }))
      : [],
    expiry: new Date(Date.now() + hours * 3_600_000).toISOString(),
    results: { is_finalized: false, answer_counts: [] },
  };
};
