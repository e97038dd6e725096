import type { Guild } from '../guild/guild.ts';
import { integrationIdOf } from '../guild/integration.ts';
import type { Identities } from '../platform.ts';
import type { AuditChange, AuditDraft } from './audit-log.ts';
import type { Difference, DifferenceOf, Part } from './watch.ts';

type AuditOf<P extends Part> = (
  context: { guild: Guild; identities: Identities },
  difference: DifferenceOf<P>,
) => AuditDraft[];

/** The entries that the platform's audit log has for a difference; for some it has none. */
export const auditOf = (
  context: { guild: Guild; identities: Identities },
  difference: Difference,
): AuditDraft[] => {
  // The table pairs each part with the function for it, which the type cannot follow.
  const describe = AUDITS[difference.part] as (
    context: { guild: Guild; identities: Identities },
    difference: Difference,
  ) => AuditDraft[];
  return describe(context, difference);
};

/** Numbers, owners and moves are not in the log; secrets neither. */
const UNLOGGED = ['id', 'guild_id', 'position', 'user_id', 'creator_id', 'token', 'sound_id'];

const KEY_OF_FIELD: Record<string, string> = {
  icon: 'icon_hash',
  splash: 'splash_hash',
  discovery_splash: 'discovery_splash_hash',
  banner: 'banner_hash',
  avatar: 'avatar_hash',
  image: 'image_hash',
};

const changesBetween = (
  before: object | undefined,
  after: object | undefined,
  unlogged: string[] = [],
): AuditChange[] => {
  const was: Record<string, unknown> = { ...before };
  const is: Record<string, unknown> = { ...after };
  const fields = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...fields].flatMap((field) => {
    const [old_value, new_value] = [was[field] ?? undefined, is[field] ?? undefined];
    const isSame = JSON.stringify(old_value) === JSON.stringify(new_value);
    if (isSame || UNLOGGED.includes(field) || unlogged.includes(field)) return [];
    return [{ key: KEY_OF_FIELD[field] ?? field, old_value, new_value }];
  });
};

/** Three actions in a row: made, changed, removed. A change of what is not logged has no entry. */
const entryOf = (
  created: number,
  { id, before, after }: { id: string; before?: object; after?: object },
  unlogged: string[] = [],
): AuditDraft[] => {
  const changes = changesBetween(before, after, unlogged);
  if (before && after) {
    return changes.length > 0 ? [{ action_type: created + 1, target_id: id, changes }] : [];
  }
  return [{ action_type: before ? created + 2 : created, target_id: id, changes }];
};

const ofKind =
  (created: number, unlogged: string[] = []): AuditOf<Part> =>
  (_, difference) =>
    entryOf(created, difference, unlogged);

const channelAudit: AuditOf<'channels'> = (context, difference) => {
  const isChange = difference.before && difference.after;
  if (!isChange) return entryOf(10, difference);
  const own = entryOf(10, difference, ['parent_id', 'permission_overwrites']);
  return [...own, ...overwriteAudit(context, difference)];
};

/** Each overwrite has an entry of its own, with the channel as its target. */
const overwriteAudit: AuditOf<'channels'> = ({ guild }, { id: channelId, before, after }) => {
  const was = new Map(before?.permission_overwrites.map((one) => [one.id, one]));
  const is = new Map(after?.permission_overwrites.map((one) => [one.id, one]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => {
    const pair = { id: channelId, before: was.get(id), after: is.get(id) };
    const type = (pair.after ?? pair.before)?.type ?? 0;
    const role_name = guild.roles.get(id)?.name;
    const options = { id, type: String(type), ...(role_name !== undefined && { role_name }) };
    return entryOf(13, pair).map((entry) => ({ ...entry, options }));
  });
};

const threadAudit: AuditOf<'threads'> = (_, { id, before, after }) => {
  const flatten = (thread: typeof before) => {
    if (!thread) return undefined;
    const { thread_metadata, members: _members, ...fields } = thread;
    const { archive_timestamp: _at, create_timestamp: _created, ...metadata } = thread_metadata;
    return { ...fields, ...metadata };
  };
  return entryOf(110, { id, before: flatten(before), after: flatten(after) }, ['owner_id']);
};

const roleAudit: AuditOf<'roles'> = (_, difference) => {
  const role = difference.after ?? difference.before;
  const isChange = difference.before && difference.after;
  if (!role?.tags?.bot_id || isChange) return entryOf(30, difference, ['managed', 'tags']);
  // The role of a bot comes and goes with it.
  return difference.after ? [] : [{ action_type: 82, target_id: integrationIdOf(role) }];
};

const memberAudit: AuditOf<'members'> = ({ guild, identities }, { id, before, after }) => {
  if (!before) {
    return identities.findUser(id)?.isBot ? [{ action_type: 28, target_id: id }] : [];
  }
  if (!after) return [{ action_type: 20, target_id: id }];
  const named = (ids: string[]) =>
    ids.map((roleId) => ({ id: roleId, name: guild.roles.get(roleId)?.name ?? '' }));
  const added = named(after.roles.filter((roleId) => !before.roles.includes(roleId)));
  const removed = named(before.roles.filter((roleId) => !after.roles.includes(roleId)));
  const roles = [
    ...(added.length > 0 ? [{ key: '$add', new_value: added }] : []),
    ...(removed.length > 0 ? [{ key: '$remove', new_value: removed }] : []),
  ];
  const fields = changesBetween(before, after, ['roles', 'joined_at']);
  return [
    ...(fields.length > 0 ? [{ action_type: 24, target_id: id, changes: fields }] : []),
    ...(roles.length > 0 ? [{ action_type: 25, target_id: id, changes: roles }] : []),
  ];
};

const AUDITS: { [P in Part]: AuditOf<P> } = {
  // Only ever changed: action 1. The platform documents no action for paused invites.
  settings: ofKind(0, ['incidents_data']),
  roles: roleAudit,
  channels: channelAudit,
  threads: threadAudit,
  emojis: ofKind(60, ['require_colons', 'managed', 'animated', 'available']),
  stickers: ofKind(90),
  bans: (_, { id, after }) => [{ action_type: after ? 22 : 23, target_id: id }],
  members: memberAudit,
  // Most of what is said is not logged; who moderates is told apart where it happens.
  messages: () => [],
  invites: (_, difference) =>
    entryOf(40, difference, ['created_at', 'target_user_ids']).map((entry) => ({
      ...entry,
      target_id: null,
    })),
  webhooks: ofKind(50),
  automod: ofKind(140),
  onboarding: (_, { before, after }) => [
    { action_type: 167, target_id: null, changes: changesBetween(before, after) },
  ],
  // The platform documents no action for it.
  welcomeScreen: () => [],
  events: ofKind(100, ['user_count']),
  soundboard: ofKind(130),
};
