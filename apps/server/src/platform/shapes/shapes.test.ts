import { expect, test } from 'bun:test';
import type {
  APIAttachment,
  APIBan,
  APIEmoji,
  APIGuild,
  APIGuildCategoryChannel,
  APIGuildForumChannel,
  APIGuildMediaChannel,
  APIGuildMember,
  APIGuildStageVoiceChannel,
  APIGuildVoiceChannel,
  APIMessage,
  APINewsChannel,
  APIOverwrite,
  APIRole,
  APISticker,
  APITextChannel,
  APIUser,
} from 'discord-api-types/v10';
import type { z } from 'zod';
import {
  type announcementChannel,
  type categoryChannel,
  type forumChannel,
  guildChannels,
  type mediaChannel,
  type stageChannel,
  type textChannel,
  type voiceChannel,
} from './channel.ts';
import type { emoji, sticker } from './expressions.ts';
import type { guild } from './guild.ts';
import type { message } from './message.ts';
import type { ban, member, user } from './people.ts';
import { type overwrite, role } from './role.ts';

/** True only when neither type allows anything the other does not, optional fields included. */
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The compiler refuses the call when the types differ: `tsc --noEmit` is what runs this test. */
const equal = <_Proof extends true>() => undefined;

test('the shapes are those of the platform, field by field', () => {
  equal<Equal<z.output<typeof user>, APIUser>>();
  equal<Equal<z.output<typeof role>, APIRole>>();
  equal<Equal<z.output<typeof overwrite>, APIOverwrite>>();
  equal<Equal<z.output<typeof emoji>, APIEmoji>>();
  equal<Equal<z.output<typeof sticker>, APISticker>>();
  equal<Equal<z.output<typeof guild>, APIGuild>>();
  equal<Equal<z.output<typeof member>, APIGuildMember>>();
  equal<Equal<z.output<typeof ban>, APIBan>>();
  equal<Equal<z.output<typeof textChannel>, APITextChannel>>();
  equal<Equal<z.output<typeof announcementChannel>, APINewsChannel>>();
  equal<Equal<z.output<typeof voiceChannel>, APIGuildVoiceChannel>>();
  equal<Equal<z.output<typeof forumChannel>, APIGuildForumChannel>>();
  equal<Equal<z.output<typeof mediaChannel>, APIGuildMediaChannel>>();
  equal<Equal<z.output<typeof categoryChannel>, APIGuildCategoryChannel>>();

  // The platform gives a stage its topic, which the types do not mention.
  equal<
    Equal<Omit<z.output<typeof stageChannel>, 'topic'>, PlainFields<APIGuildStageVoiceChannel>>
  >();

  // A whole message is a tree of components, polls and further messages that nobody here reads.
  type OurMessage = z.output<typeof message>;
  type OurAttachment = OurMessage['attachments'][number];
  type PartlyRead = 'attachments' | 'embeds' | 'sticker_items' | 'referenced_message' | 'poll';
  equal<
    Equal<Omit<OurMessage, PartlyRead>, Pick<APIMessage, Exclude<keyof OurMessage, PartlyRead>>>
  >();
  equal<Equal<OurAttachment, Pick<APIAttachment, keyof OurAttachment>>>();

  expect(role.safeParse({}).success).toBe(false);
});

test('the comparison of types can fail', () => {
  // @ts-expect-error: a field is missing.
  equal<Equal<Omit<z.output<typeof role>, 'hoist'>, APIRole>>();
  // @ts-expect-error: a field that may be absent is not one that must be there.
  equal<Equal<Required<z.output<typeof role>>, APIRole>>();
  // @ts-expect-error: a number is not a set of flags.
  equal<Equal<Omit<z.output<typeof role>, 'flags'> & { flags: number }, APIRole>>();
  // @ts-expect-error: null is not allowed everywhere.
  equal<Equal<{ name: string | null }, { name: string }>>();
});

type PlainFields<T> = { [Key in keyof T]: T[Key] };

const plainRole = {
  id: '1',
  name: 'Crew',
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  position: 1,
  permissions: '1024',
  managed: false,
  mentionable: false,
  flags: 0,
};

test('a field or a value the platform adds one day breaks nothing', () => {
  expect(role.parse({ ...plainRole, sparkles: true, flags: 1 << 20 })).toEqual({
    ...plainRole,
    flags: 1 << 20,
  });
});

test('a channel of an unknown kind is skipped, and an invalid one is not', () => {
  const text = { id: '1', type: 0, name: 'a', position: 0 };
  expect(guildChannels.parse([text, { id: '2', type: 14, directory: {} }])).toEqual([text]);
  expect(guildChannels.safeParse([{ ...text, position: 'first' }]).success).toBe(false);
  expect(guildChannels.safeParse([{ id: '1' }]).success).toBe(false);
});
