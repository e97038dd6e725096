import type { Channel } from '../../platform/guild.ts';
import { type ActionOf, type ChannelSetting, channelSettings, type Ref } from './action.ts';
import { byPosition, type Community } from './community.ts';
import type { Scene } from './scene.ts';

type Choice = ActionOf<'editSettings'>['channels'];

/** Which channels serve the server as a whole in the end; only those that change are named. */
export const chooseServersChannels = (
  scene: Scene,
  community: Community,
  lose: (name: string, reason: string) => void,
): Choice => {
  if (!scene.restores('settings')) return scene.restores('channels') ? repoint(scene) : {};
  const choice: Choice = {};
  for (const setting of channelSettings) {
    const now = scene.present.settings[setting];
    const chosen = chooseWanted(scene, community, setting);
    if (chosen === 'none here') {
      lose(namesOfSettings[setting], 'its channel is not in this server');
      continue;
    }
    const isSame = chosen === null ? now === null : 'present' in chosen && chosen.present === now;
    if (!isSame) choice[setting] = chosen;
  }
  return choice;
};

/**
 * The old ones are about to be deleted: each is handed over to the channel that was it in the backup,
 * else to one that looks like it, else to the first text channel.
 */
export const repoint = (scene: Scene): Choice => {
  const choice: Choice = {};
  for (const setting of channelSettings) {
    const now = scene.present.channels.find(({ id }) => id === scene.present.settings[setting]);
    const heir = now ? heirOf(scene, now) : undefined;
    // A community cannot be without its two channels, not even for want of a better one.
    if (heir || (heir === null && !isOfCommunity(setting))) choice[setting] = heir;
  }
  return choice;
};

const heirOf = ({ wantedChannels }: Scene, channel: Channel): Ref | null => {
  const isVoice = channel.kind === 'voice' || channel.kind === 'stage';
  const texts = wantedChannels.filter(({ kind }) => kind === 'text').sort(byPosition);
  const heir =
    wantedChannels.find(({ id, kind }) => id === channel.id && kind === channel.kind) ??
    wantedChannels.find(({ name, kind }) => name === channel.name && kind === channel.kind) ??
    (isVoice ? undefined : texts[0]);
  return heir ? { backup: heir.id } : null;
};

const chooseWanted = (
  scene: Scene,
  community: Community,
  setting: ChannelSetting,
): Ref | null | 'none here' => {
  const now = scene.present.settings[setting];
  const unchanged = now === null ? null : { present: now };
  if (community.isFinally && setting === 'rulesChannelId') return community.rules ?? unchanged;
  if (community.isFinally && setting === 'publicUpdatesChannelId') {
    return community.updates ?? unchanged;
  }
  const wantedId = scene.desired.settings?.[0]?.[setting] ?? null;
  if (wantedId === null || isOfCommunity(setting)) return null;
  const wanted = scene.wantedChannels.find(({ id }) => id === wantedId);
  if (scene.restores('channels')) return wanted ? { backup: wantedId } : 'none here';
  const { channels } = scene.present;
  const found =
    channels.find(({ id }) => id === wantedId) ??
    channels.find(({ name, kind }) => name === wanted?.name && kind === wanted?.kind);
  return found ? { present: found.id } : 'none here';
};

const isOfCommunity = (setting: ChannelSetting) =>
  setting === 'rulesChannelId' || setting === 'publicUpdatesChannelId';

const namesOfSettings: Record<ChannelSetting, string> = {
  afkChannelId: 'the channel for those who are away',
  systemChannelId: 'the system channel',
  rulesChannelId: 'the rules channel',
  publicUpdatesChannelId: 'the updates channel',
  safetyAlertsChannelId: 'the safety channel',
};
