import { z } from 'zod';
import { byCaller } from '../announce/announce.ts';
import { announceMessage, announcePin } from '../announce/conversation.ts';
import type { Message } from '../guild/conversation.ts';
import { newMessage } from '../guild/new-guild.ts';
import { Permission } from '../guild/permissions.ts';
import { accessMessages, type MessagesAccess } from '../http/access.ts';
import { ApiError } from '../http/api-error.ts';
import { limitField, readQuery } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { findMessage } from './find-message.ts';
import { presentMessage } from './present.ts';
import { addMessage } from './write.ts';

const MAX_PINS = 250;
/** The old list is not paged. */
const MAX_LISTED = 50;
/** "… pinned a message", which the platform writes into the channel. */
const PINNED_NOTICE_TYPE = 6;

const pageSchema = z.object({
  limit: limitField(MAX_LISTED, MAX_LISTED),
  before: z.iso.datetime({ offset: true }).optional(),
});

export const mountPinRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/channels/:channel/pins', (c) => {
    const access = accessMessages(platform, c, Permission.ReadMessageHistory);
    const messages = pinsOf(access).slice(0, MAX_LISTED);
    return c.json(messages.map((message) => presentMessage(platform, c, access.guild, message)));
  });
  app.get('/channels/:channel/messages/pins', (c) => {
    const access = accessMessages(platform, c, Permission.ReadMessageHistory);
    const { limit, before } = readQuery(c, pageSchema);
    const beforeMs = before ? Date.parse(before) : Number.POSITIVE_INFINITY;
    const older = pinsOf(access).filter((message) => pinnedAtMs(message) < beforeMs);
    const items = older.slice(0, limit).map((message) => ({
      pinned_at: message.pinned_at ?? message.timestamp,
      message: presentMessage(platform, c, access.guild, message),
    }));
    return c.json({ items, has_more: older.length > limit });
  });
  for (const path of ['/channels/:channel/pins', '/channels/:channel/messages/pins']) {
    app.put(`${path}/:message`, (c) => setPinned(platform, c, true));
    app.delete(`${path}/:message`, (c) => setPinned(platform, c, false));
  }
};

const setPinned = (platform: Platform, c: PlatformContext, isPinned: boolean) => {
  const access = accessMessages(platform, c, Permission.PinMessages);
  const message = findMessage(access, c);
  if (message.pinned === isPinned) return c.body(null, 204);
  const pins = pinsOf(access);
  if (isPinned && pins.length >= MAX_PINS) {
    const text = `Maximum number of pins reached for the channel (${MAX_PINS})`;
    throw new ApiError(400, 30003, text);
  }
  message.pinned = isPinned;
  if (isPinned) message.pinned_at = timeAfter(pins[0]);
  else delete message.pinned_at;
  const { guild } = access;
  const last_pin_timestamp = pinsOf(access)[0]?.pinned_at ?? null;
  announcePin(platform, byCaller(c), guild, { message, last_pin_timestamp });
  if (isPinned) {
    const after = addNotice(platform, access, message);
    announceMessage(platform, byCaller(c), guild, { after });
  }
  return c.body(null, 204);
};

/** Pages are cut by this time, so no two pins of a channel share it. */
const timeAfter = (newest: Message | undefined): string =>
  new Date(Math.max(Date.now(), newest ? pinnedAtMs(newest) + 1 : 0)).toISOString();

const addNotice = ({ world }: Platform, { guild, bot, placeId }: MessagesAccess, pinned: Message) =>
  addMessage(
    guild,
    newMessage({
      id: world.nextId(),
      channel_id: placeId,
      author_id: bot.id,
      type: PINNED_NOTICE_TYPE,
      message_reference: {
        type: 0,
        channel_id: placeId,
        message_id: pinned.id,
        guild_id: guild.id,
      },
    }),
  );

/** The last pinned first. */
const pinsOf = ({ guild, placeId }: MessagesAccess): Message[] =>
  [...(guild.messages.get(placeId)?.values() ?? [])]
    .filter(({ pinned }) => pinned)
    .reverse()
    .sort((a, b) => pinnedAtMs(b) - pinnedAtMs(a));

const pinnedAtMs = ({ pinned_at, timestamp }: Message): number =>
  Date.parse(pinned_at ?? timestamp);
