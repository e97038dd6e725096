import { structureOf } from '../../backups/last-good/structure.ts';
import type { LiveRow } from '../queries.ts';
import type { GuildEvent } from './guild-event.ts';

/** What is known of a server's guild. */
export type KnownGuild = {
  /** Undefined until it was seen in full: what changes before that says nothing. */
  live: LiveRow | undefined;
  memberCount: number;
  /** Since the last event that gave one. */
  iconHash?: string | null;
  /** Whether the last full view is among the events. */
  isSeen: boolean;
};

/** Applies an event of any guild of the bot; other guilds' change nothing. */
export const applyEvent = (known: KnownGuild, guildId: string, event: GuildEvent): KnownGuild => {
  if (event.kind === 'guildsListed') {
    // Those that are listed are reported in full besides.
    return event.guildIds.includes(guildId) ? known : withoutBot(known);
  }
  if (event.guildId !== guildId) return known;
  switch (event.kind) {
    case 'guildAvailable':
      return seenInFull(event);
    case 'guildChanged':
      return {
        ...known,
        iconHash: event.iconHash,
        ...(known.live && { live: { ...known.live, name: event.name } }),
      };
    case 'guildGone':
      return withoutBot(known);
    case 'memberJoined':
      return { ...known, memberCount: known.memberCount + 1 };
    case 'memberLeft':
      return { ...known, memberCount: Math.max(0, known.memberCount - 1) };
    default:
      return known.live ? { ...known, live: changeThings(known.live, event) } : known;
  }
};

const seenInFull = (event: Extract<GuildEvent, { kind: 'guildAvailable' }>): KnownGuild => {
  const { guildId, name, iconHash, memberCount, channelIds, roles } = event;
  const managedRoleIds = roles.filter(({ isManaged }) => isManaged).map(({ id }) => id);
  const seen = {
    channels: new Set(channelIds),
    roles: new Set(roles.map(({ id }) => id)),
    managedRoles: new Set(managedRoleIds),
  };
  const live = { isInGuild: true, name, managedRoleIds, ...structureOf(seen, guildId) };
  return { live, memberCount, iconHash, isSeen: true };
};

/** What the guild had is kept: it may be there again when the bot is. */
const withoutBot = (known: KnownGuild): KnownGuild => {
  const nothing = { name: null, channelIds: [], roleIds: [], managedRoleIds: [] };
  return { ...known, live: { ...(known.live ?? nothing), isInGuild: false } };
};

type ThingEvent = Extract<
  GuildEvent,
  { kind: 'channelCreated' | 'channelDeleted' | 'roleCreated' | 'roleDeleted' }
>;

/** An event that comes twice changes nothing. */
const changeThings = (live: LiveRow, event: ThingEvent): LiveRow => {
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
  }
};

const withId = (ids: string[], id: string): string[] => (ids.includes(id) ? ids : [...ids, id]);
const withoutId = (ids: string[], id: string): string[] => ids.filter((one) => one !== id);
