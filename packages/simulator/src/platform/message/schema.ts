import { z } from 'zod';
import { invalidField } from '../http/api-error.ts';
import { snowflakeField } from '../http/read-body.ts';

const text = (maximum: number) => z.string().max(maximum).nullish();
const picture = z.looseObject({ url: text(2048) }).nullish();

const embedSchema = z.looseObject({
  title: text(256),
  description: text(4096),
  url: text(2048),
  timestamp: z.string().nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  author: z.looseObject({ name: text(256) }).nullish(),
  footer: z.looseObject({ text: text(2048) }).nullish(),
  image: picture,
  thumbnail: picture,
  fields: z
    .array(
      z.looseObject({
        name: z.string().max(256),
        value: z.string().max(1024),
        inline: z
          .boolean()
          .nullish()
          .transform((inline) => inline ?? false),
      }),
    )
    .max(25)
    .nullish(),
});

type Embed = z.output<typeof embedSchema>;

const allowedMentionsSchema = z.object({
  parse: z.array(z.enum(['users', 'roles', 'everyone'])).nullish(),
  users: z.array(snowflakeField).max(100).nullish(),
  roles: z.array(snowflakeField).max(100).nullish(),
  replied_user: z.boolean().nullish(),
});

export type AllowedMentions = z.output<typeof allowedMentionsSchema>;

/** Only the tree is checked: components are kept as they are sent. */
const componentSchema = z.looseObject({
  type: z.int(),
  get components() {
    return z.array(componentSchema).optional();
  },
});

/** What a message holds, whoever writes it. */
export const messageSchema = z.object({
  content: text(2000),
  embeds: z.array(embedSchema).max(10).nullish(),
  components: z.array(componentSchema).max(40).nullish(),
  /** Of a new file the number of its part, of a kept one its id. */
  attachments: z
    .array(
      z.object({
        id: snowflakeField,
        filename: z.string().max(1024).nullish(),
        description: text(1024),
        title: text(1024),
      }),
    )
    .max(10)
    .nullish(),
  allowed_mentions: allowedMentionsSchema.nullish(),
  tts: z.boolean().nullish(),
  flags: z.int().min(0).nullish(),
  poll: z.looseObject({ question: z.looseObject({ text: z.string() }) }).nullish(),
});

export type MessageFields = z.output<typeof messageSchema>;

/** Of a message that a bot writes as itself. */
export const ownMessageSchema = messageSchema.extend({
  sticker_ids: z.array(snowflakeField).max(3).nullish(),
  message_reference: z
    .object({
      type: z.literal([0, 1]).default(0),
      message_id: snowflakeField,
      channel_id: snowflakeField.nullish(),
      guild_id: snowflakeField.nullish(),
      fail_if_not_exists: z.boolean().nullish(),
    })
    .nullish(),
  nonce: z.union([z.string().max(25), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
});

export type OwnMessageFields = z.output<typeof ownMessageSchema>;

const MAX_EMBED_CHARACTERS = 6000;

/** All embeds of a message together have one limit. */
export const requireEmbedSize = (embeds: Embed[]) => {
  let total = 0;
  for (const { title, description, author, footer, fields } of embeds) {
    const texts = [title, description, author?.name, footer?.text];
    for (const { name, value } of fields ?? []) texts.push(name, value);
    for (const one of texts) total += one?.length ?? 0;
  }
  if (total > MAX_EMBED_CHARACTERS) {
    const message = `Embed size exceeds maximum size of ${MAX_EMBED_CHARACTERS}`;
    throw invalidField(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', message);
  }
};
