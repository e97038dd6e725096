import type { Channel } from '../../platform/guild.ts';
import { settableFlags } from '../../platform/translate/channel-body.ts';

const flaggedKinds: Channel['kind'][] = ['forum', 'media'];

/** Those flags of a channel that people choose, and so those that a restore brings back. */
export const flagsToRestore = ({ kind, flags }: Pick<Channel, 'kind' | 'flags'>): number =>
  flaggedKinds.includes(kind) ? flags & settableFlags : 0;
