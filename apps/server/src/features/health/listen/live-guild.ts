import type { GuildEvent } from '../../../platform/gateway/events.ts';
import { structureOf } from '../../backups/last-good/structure.ts';
import type { LiveRow } from '../queries.ts';

/** What is known of a guild. Until it was seen in full nothing is: before that a change says nothing. */
export type KnownGuild = LiveRow | undefined;

/** Applies an event of any guild of the bot. One that comes twice changes nothing more. */
export const applyEvent = (known: KnownGuild, guildId: string, event: GuildEvent): KnownGuild => {
  if (event.kind === 'guildsListed') {
    // Those that are listed are reported in full besides.
    return event.guildIds.includes(guildId) ? known : withoutBot(known);
  }
  if (event.guildId !== guildId) return known;
  if (event.kind === 'guildAvailable') return seenInFull(event);
  if (event.kind === 'guildGone') return withoutBot(known);
  return known && changeThings(known, event);
};

const seenInFull = (event: Extract<GuildEvent, { kind: 'guildAvailable' }>): LiveRow => {
  const { guildId, channelIds, roles } = event;
  const managedRoleIds = roles.filter(({ isManaged }) => isManaged).map(({ id }) => id);
  const seen = {
    channels: new Set(channelIds),
    roles: new Set(roles.map(({ id }) => id)),
    managedRoles: new Set(managedRoleIds),
  };
  return { isInGuild: true, absence: null, managedRoleIds, ...structureOf(seen, guildId) };
};

const nothing: LiveRow = {
  ...{ isInGuild: false, absence: null },
  ...{ channelIds: [], roleIds: [], managedRoleIds: [] },
};

/** What it had is kept, although it does not count. */
export const withoutBot = (known: KnownGuild): LiveRow =>
  known ? { ...known, isInGuild: false } : nothing;

const changeThings = (live: LiveRow, event: GuildEvent): LiveRow => {
  switch (event.kind) {
    case 'channelCreated':
      return { ...live, channelIds: withId(live.channelIds, event.channelId) };
    case 'channelDeleted':
      return { ...live, channelIds: withoutId(live.channelIds, event.channelId) };
    case 'roleCreated':
      return event.role.isManaged
        ? { ...live, managedRoleIds: withId(live.managedRoleIds, event.role.id) }
        : { ...live, roleIds: withId(live.roleIds, event.role.id) };
    case 'roleDeleted':
      return {
        ...live,
        roleIds: withoutId(live.roleIds, event.roleId),
        managedRoleIds: withoutId(live.managedRoleIds, event.roleId),
      };
    default:
      return live;
  }
};

const withId = (ids: string[], id: string): string[] => (ids.includes(id) ? ids : [...ids, id]);
const withoutId = (ids: string[], id: string): string[] => ids.filter((one) => one !== id);
