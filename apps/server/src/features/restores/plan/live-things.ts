import type { RestoredSort } from '../../servers/table.ts';
import type { GuildState } from './step.ts';

/** What a guild has of a sort of things. */
export const liveThings = (
  { parts, ...current }: GuildState,
  sort: RestoredSort,
): { id: string }[] => {
  switch (sort) {
    case 'automod':
    case 'events':
    case 'soundboard':
    case 'webhooks':
      return parts?.[sort] ?? [];
    default:
      return current[sort];
  }
};
