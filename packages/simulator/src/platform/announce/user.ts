import type { Platform } from '../platform.ts';
import type { By } from './announce.ts';
import { eventsOf } from './events.ts';

/** A name or picture belongs to no guild, yet every guild of the user is told of it. */
export const announceUser = (platform: Platform, { origin }: By, userId: string) => {
  const { world, gateway } = platform;
  for (const guild of world.guilds.values()) {
    const member = guild.members.get(userId);
    if (!member || !gateway.isHeard(guild)) continue;
    const difference = { part: 'members' as const, id: userId, before: member, after: member };
    for (const event of eventsOf({ platform, guild, origin }, difference)) {
      gateway.dispatch(guild, event);
    }
  }
};
