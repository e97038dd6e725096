import { type Channel, emoji, sticker } from '../../../platform/guild.ts';
import { sound, type Webhook, webhook } from '../../../platform/guild-parts.ts';
import type { SectionEntry } from '../../backups/snapshot/snapshot.ts';
import { applyFields } from './apply-fields.ts';
import type { UndoInput } from './scope.ts';
import { honestFieldsOf, idsOf, wantedOf } from './wanted-things.ts';

export const wantedEmojis = (input: UndoInput): SectionEntry<'emojis'>[] => {
  const { backup, current, scope } = input;
  const saved = backup.emojis ?? [];
  const blank = { name: 'emoji', isAnimated: false, isManaged: false, roleIds: [] };
  const lostRoles = idsOf(scope.deleted, 'role');
  return wantedOf(input, {
    ...{ type: 'emoji', live: current.emojis, saved, schema: emoji, blank },
  }).map((one) => {
    const before = saved.find(({ id }) => id === one.id);
    const lost = before?.roleIds.filter((id) => lostRoles.has(id)) ?? [];
    return {
      ...one,
      roleIds: [...new Set([...one.roleIds, ...lost])],
      image: before?.image ?? null,
    };
  });
};

export const wantedStickers = (input: UndoInput): SectionEntry<'stickers'>[] => {
  const { backup, current } = input;
  const saved = backup.stickers ?? [];
  const blank = { name: 'sticker', description: null, tags: '', format: 'png' };
  return wantedOf(input, {
    ...{ type: 'sticker', live: current.stickers, saved, schema: sticker, blank },
  }).map((one) => ({ ...one, image: saved.find(({ id }) => id === one.id)?.image ?? null }));
};

export const wantedSounds = (input: UndoInput): SectionEntry<'soundboard'>[] => {
  const { backup, current } = input;
  const saved = backup.soundboard ?? [];
  const blank = { name: 'sound', volume: 1, emojiId: null, emojiName: null };
  return wantedOf(input, {
    ...{ type: 'sound', live: current.parts?.soundboard ?? [], saved, schema: sound, blank },
  }).map((one) => ({ ...one, sound: saved.find(({ id }) => id === one.id)?.sound ?? null }));
};

/** Those of a deleted channel went with it. */
export const wantedWebhooks = (
  input: UndoInput,
  channels: Channel[],
): SectionEntry<'webhooks'>[] => {
  const { backup, current, scope } = input;
  const saved = backup.webhooks ?? [];
  const lostChannels = idsOf(scope.deleted, 'channel');
  const there = new Set(channels.map(({ id }) => id));
  const live = (current.parts?.webhooks ?? []).filter(
    ({ kind, channelId }) => kind === 'incoming' && there.has(channelId ?? ''),
  );
  const blank = { kind: 'incoming', name: null, channelId: null, avatarHash: null, source: null };
  // One whose channel others have deleted since has no place any more.
  const wanted = wantedOf(input, { type: 'webhook', live, saved, schema: webhook, blank }).filter(
    ({ channelId }) => there.has(channelId ?? ''),
  );
  const known = new Set([...wanted.map(({ id }) => id), ...idsOf(scope.gone ?? [], 'webhook')]);
  const gone = saved
    .filter(({ id, channelId }) => lostChannels.has(channelId ?? '') && !known.has(id))
    .map((one) => applyFields<Webhook>(one, honestFieldsOf(scope, 'webhook', one.id), webhook));
  return [...wanted, ...gone].map((one) => {
    const before = saved.find(({ id }) => id === one.id);
    const isSamePicture = before?.avatarHash === one.avatarHash;
    return { ...one, avatar: isSamePicture ? (before?.avatar ?? null) : null };
  });
};
