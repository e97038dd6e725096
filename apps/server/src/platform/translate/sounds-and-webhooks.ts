import { WebhookType } from 'discord-api-types/v10';
import type { z } from 'zod';
import { PlatformFailure } from '../failures.ts';
import type { Invite, Sound, Webhook } from '../guild-parts.ts';
import type { SoundInput, WebhookInput } from '../parts-port.ts';
import type { invite, sound, webhook } from '../shapes/parts.ts';
import { dataUriOf } from './guild.ts';

export const soundOf = (from: z.output<typeof sound>): Sound => ({
  id: from.sound_id,
  name: from.name,
  volume: from.volume,
  emojiId: from.emoji_id,
  // With a custom emoji the platform gives no name, or that of the emoji.
  emojiName: from.emoji_id === null ? from.emoji_name : null,
});

export const soundBodyOf = ({ name, volume, emojiId, emojiName }: SoundInput) => ({
  name,
  volume,
  emoji_id: emojiId,
  emoji_name: emojiName,
});

const kindOfType = new Map<number, Webhook['kind']>([
  [WebhookType.Incoming, 'incoming'],
  [WebhookType.ChannelFollower, 'follower'],
  [WebhookType.Application, 'application'],
]);

export const webhookOf = (from: z.output<typeof webhook>): Webhook => {
  const kind = kindOfType.get(from.type);
  if (!kind) throw new PlatformFailure('badAnswer');
  const { source_guild, source_channel } = from;
  return {
    id: from.id,
    kind,
    name: from.name,
    channelId: from.channel_id,
    avatarHash: from.avatar,
    source: source_guild ? `${source_guild.name} #${source_channel?.name ?? ''}` : null,
  };
};

export const webhookBodyOf = ({ name, avatar }: Partial<WebhookInput>) => ({
  name,
  avatar: avatar && dataUriOf(avatar),
});

export const inviteOf = ({
  code,
  channel,
  max_uses,
  expires_at,
}: z.output<typeof invite>): Invite => ({
  code,
  channelId: channel?.id ?? null,
  maxUses: max_uses ?? 0,
  expiresAt: expires_at ?? null,
});
