import type { Channel } from '../../platform/guild.ts';

/** That posts need a tag, and that media cannot be saved. All others are the platform's own. */
const chosenFlags = (1 << 4) | (1 << 15);
const flaggedKinds: Channel['kind'][] = ['forum', 'media'];

/** Those flags of a channel that people choose, and so those that a restore brings back. */
export const flagsToRestore = ({ kind, flags }: Pick<Channel, 'kind' | 'flags'>): number =>
  flaggedKinds.includes(kind) ? flags & chosenFlags : 0;
