import { isDeepStrictEqual } from 'node:util';
import type { Channel, GuildMember, Overwrite, Role } from '../../../platform/guild.ts';
import { permissionNames } from '../../../platform/permission-names.ts';
import { compareRank } from '../../../platform/permissions.ts';
import { channelBodyOf } from '../../../platform/translate/channel-body.ts';
import { settingsBodyOf } from '../../../platform/translate/guild.ts';
import { roleBodyOf } from '../../../platform/translate/role.ts';
import { settingsPictures } from '../../backups/snapshot/snapshot.ts';
import { type Action, type ActionOf, channelSettings, isPartAction, type Ref } from './action.ts';
import { byPosition } from './channel-kinds.ts';
import { type IdMap, resolveChanges, resolveOverwrites, resolveRef } from './id-map.ts';
import { timeOutOf } from './members-and-bans.ts';
import { describePartChanges } from './parts/describe-parts.ts';
import type { PlanContext } from './plan-context.ts';
import { pictureSettings } from './settings.ts';
import type { FieldChange, FieldValue } from './step.ts';

type Scope = Pick<PlanContext, 'snapshot' | 'current' | 'savedChannels'> & {
  idMap: IdMap;
  /** Those of the target, by their ids: there can be a hundred thousand, each with an action. */
  members: Map<string, GuildMember>;
};

/**
 * What an action changes, field by field. It reads the action itself, so it cannot differ from what
 * will be done. Empty for actions that create or delete.
 */
export const describeChanges = (scope: Scope, action: Action): FieldChange[] => {
  const { current, idMap } = scope;
  if (isPartAction(action)) return describePartChanges(scope, action);
  switch (action.do) {
    case 'editRole': {
      const role = findById(current.roles, resolveRef(idMap.roles, action.role));
      return role ? compareBodies(roleBodyOf(role), roleBodyOf(action.changes)) : [];
    }
    case 'editChannel':
      return channelFieldChanges(scope, action);
    case 'setOverwrites':
      return overwritesChange(scope, action);
    case 'placeRoles':
      return [orderOfRoles(scope, action)];
    case 'placeChannels':
      return [orderOfChannels(scope, action)];
    case 'editSettings':
      return settingsChanges(scope, action);
    case 'editEmoji': {
      const emoji = findById(current.emojis, action.emojiId);
      const { name, roleIds } = action;
      const to = { name, roles: roleIds?.map((id) => idMap.roles[id] ?? id) };
      return emoji ? compareBodies({ name: emoji.name, roles: emoji.roleIds }, to) : [];
    }
    case 'editSticker': {
      const sticker = findById(current.stickers, action.stickerId);
      return sticker ? compareBodies(sticker, action.changes) : [];
    }
    case 'editMember':
      return memberChanges(scope, action);
    default:
      return [];
  }
};

const findById = <Thing extends { id: string }>(things: Thing[], id: string | undefined) =>
  things.find((thing) => thing.id === id);

/** The fields of `to` that are set and differ; permissions become lists of names. */
const compareBodies = (from: object, to: object): FieldChange[] => {
  const before: Record<string, unknown> = { ...from };
  return Object.entries(to).flatMap(([field, value]) => {
    if (value === undefined || isDeepStrictEqual(before[field], value)) return [];
    return [{ field, from: show(field, before[field]), to: show(field, value) }];
  });
};

const show = (field: string, value: unknown): FieldValue => {
  if (field === 'permissions' && typeof value === 'string') return permissionNames(value);
  // Bodies for the platform hold nothing but JSON.
  return (value ?? null) as FieldValue;
};

const overwritesChange = (
  { current, idMap }: Scope,
  { channel, overwrites, flags }: ActionOf<'setOverwrites'>,
): FieldChange[] => {
  const now = findById(current.channels, resolveRef(idMap.channels, channel));
  if (!now) return [];
  const wanted = 'backup' in channel ? resolveOverwrites(overwrites, idMap) : overwrites;
  return [
    accessChange(current.roles, now, wanted),
    ...(flags === undefined ? [] : compareBodies(channelBodyOf(now), { flags })),
  ];
};

const channelFieldChanges = (
  { current, idMap }: Scope,
  { channel, changes }: ActionOf<'editChannel'>,
): FieldChange[] => {
  const now = findById(current.channels, resolveRef(idMap.channels, channel));
  if (!now) return [];
  const { kind, overwrites, ...plain } = resolveChanges(changes, idMap);
  const parentId = changes.parentId && (plain.parentId ?? changes.parentId);
  const bodies = { ...plain, ...(parentId === undefined ? {} : { parentId }) };
  return [
    ...(kind === undefined ? [] : [{ field: 'type', from: now.kind, to: kind }]),
    ...compareBodies(channelBodyOf(now), channelBodyOf(bodies)),
    ...(overwrites ? [accessChange(current.roles, now, overwrites)] : []),
  ];
};

const accessChange = (roles: Role[], now: Channel, to: Overwrite[]): FieldChange => ({
  field: 'permission_overwrites',
  from: showOverwrites(roles, now.overwrites),
  to: showOverwrites(roles, to),
});

const showOverwrites = (roles: Role[], overwrites: Overwrite[]) => {
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  return overwrites.map(({ id, kind, allow, deny }) => ({
    id,
    type: kind,
    ...(kind === 'role' ? { name: names.get(id) ?? null } : {}),
    allow: permissionNames(allow),
    deny: permissionNames(deny),
  }));
};

/** Lowest first, as the platform numbers them. */
const orderOfRoles = (
  { snapshot, current, idMap }: Scope,
  { order }: ActionOf<'placeRoles'>,
): FieldChange => {
  const nameOf = (ref: Ref) =>
    ('backup' in ref ? findById(snapshot.roles ?? [], ref.backup)?.name : undefined) ??
    findById(current.roles, resolveRef(idMap.roles, ref))?.name;
  const placed = new Set(order.map((ref) => resolveRef(idMap.roles, ref)));
  const now = current.roles.filter(({ id }) => placed.has(id)).sort(compareRank);
  return {
    field: 'position',
    from: now.map(({ name }) => name),
    to: order.map((ref) => nameOf(ref) ?? null),
  };
};

const orderOfChannels = (
  { current, savedChannels, idMap }: Scope,
  { places }: ActionOf<'placeChannels'>,
): FieldChange => {
  const placed = new Set(places.map(({ oldId }) => idMap.channels[oldId]));
  const now = current.channels.filter(({ id }) => placed.has(id)).sort(byPosition);
  return {
    field: 'position',
    from: now.map(({ name }) => name),
    to: places.map(({ oldId }) => findById(savedChannels, oldId)?.name ?? null),
  };
};

const settingsChanges = (
  { snapshot, current: { settings }, idMap }: Scope,
  { changes, channels, pictures }: ActionOf<'editSettings'>,
): FieldChange[] => {
  const now = settingsBodyOf(settings);
  const pointers = channelSettings.flatMap((setting) => {
    const ref = channels[setting];
    if (ref === undefined) return [];
    return [[setting, ref && (resolveRef(idMap.channels, ref) ?? idOf(ref))] as const];
  });
  const saved = snapshot.settings?.[0];
  const images = settingsPictures.flatMap((picture) => {
    if (pictures[picture] === undefined) return [];
    const { hash } = pictureSettings[picture];
    const field = picture.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [{ field, from: settings[hash], to: saved?.[hash] ?? null }];
  });
  return [
    ...compareBodies(now, settingsBodyOf({ ...changes, ...Object.fromEntries(pointers) })),
    ...images,
  ];
};

const idOf = (ref: Ref): string => ('backup' in ref ? ref.backup : ref.present);

const memberChanges = (
  { members, idMap }: Scope,
  { userId, nick, timedOutUntil, roles }: ActionOf<'editMember'>,
): FieldChange[] => {
  const member = members.get(userId);
  if (!member) return [];
  const roleIds = roles?.map((ref) => resolveRef(idMap.roles, ref) ?? idOf(ref));
  const now = { nick: member.nick, timedOutUntil: timeOutOf(member), roles: member.roleIds };
  return compareBodies(now, { nick, timedOutUntil, roles: roleIds });
};
