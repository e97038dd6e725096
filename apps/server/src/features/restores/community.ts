import type { Channel } from '../../platform/guild.ts';
import type { Ref } from './action.ts';
import type { Scene } from './scene.ts';

const communityKinds: Channel['kind'][] = ['announcement', 'stage', 'forum', 'media'];

export const needsCommunity = ({ kind }: Pick<Channel, 'kind'>): boolean =>
  communityKinds.includes(kind);

/** Some kinds of channels exist only in a community, which itself must have two text channels. */
export type Community = {
  isNow: boolean;
  /** It is made one on the way; only an administrator may. */
  becomes: boolean;
  isFinally: boolean;
  rules: Ref | undefined;
  updates: Ref | undefined;
};

export const surveyCommunity = (scene: Scene): Community => {
  const { desired, present, powers, restores } = scene;
  const isNow = present.settings.features.includes('COMMUNITY');
  const settings = restores('settings') ? desired.settings?.[0] : undefined;
  const isWanted = settings ? settings.features.includes('COMMUNITY') : isNow;
  const rules = textChannel(scene, settings?.rulesChannelId ?? null);
  const updates = textChannel(scene, settings?.publicUpdatesChannelId ?? null);
  const becomes = isWanted && !isNow && powers.isAdministrator && rules !== undefined;
  const isFinally = becomes || (isNow && (isWanted || !powers.isAdministrator));
  return { isNow, becomes, isFinally, rules, updates };
};

/** The channel of the backup, or the first text channel there will be. */
const textChannel = (scene: Scene, wantedId: string | null): Ref | undefined => {
  const isRestored = scene.restores('channels');
  const channels = isRestored ? scene.wantedChannels : scene.present.channels;
  const texts = channels.filter(({ kind }) => kind === 'text').sort(byPosition);
  const found = texts.find(({ id }) => id === wantedId) ?? texts[0];
  if (!found) return undefined;
  return isRestored ? { backup: found.id } : { present: found.id };
};

type Placed = Pick<Channel, 'id' | 'position'>;

/** Of two channels on one position the older one stands first. */
export const byPosition = (one: Placed, other: Placed): number => {
  if (one.position !== other.position) return one.position - other.position;
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
};
