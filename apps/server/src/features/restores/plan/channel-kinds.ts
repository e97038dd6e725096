import type { Channel } from '../../../platform/guild.ts';
import { settableFlags, spoilerFlag } from '../../../platform/translate/channel-body.ts';

type Kind = Pick<Channel, 'kind'>;

const communityKinds: Channel['kind'][] = ['announcement', 'stage', 'forum', 'media'];
const convertibleKinds: Channel['kind'][] = ['text', 'announcement'];
const taggedKinds: Channel['kind'][] = ['forum', 'media'];

export const needsCommunity = ({ kind }: Kind): boolean => communityKinds.includes(kind);

/** Only these can become each other. */
export const isConvertible = ({ kind }: Kind): boolean => convertibleKinds.includes(kind);

/** The flags of a channel that people choose, which are those that a restore brings back. */
export const flagsToRestore = ({ kind, flags }: Pick<Channel, 'kind' | 'flags'>): number => {
  if (kind === 'category') return 0;
  return flags & (taggedKinds.includes(kind) ? settableFlags : spoilerFlag);
};

/** Voice channels are numbered apart from the rest, and categories apart from both. */
export const sortingGroup = ({ kind }: Kind): 'category' | 'voice' | 'text' => {
  if (kind === 'category') return 'category';
  return kind === 'voice' || kind === 'stage' ? 'voice' : 'text';
};

type Placed = Pick<Channel, 'id' | 'position'>;

/** Of two channels on one position the older one stands first. */
export const byPosition = (one: Placed, other: Placed): number => {
  if (one.position !== other.position) return one.position - other.position;
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
};
