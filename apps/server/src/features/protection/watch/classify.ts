import type { AuditAction, AuditChange, AuditLogEntry } from '../../../platform/gateway/events.ts';
import { dangerous, without } from '../../../platform/permissions.ts';
import { losesNeeded } from '../contain/needed-permissions.ts';
import type { ActKind } from './kinds.ts';

/** What is known of a guild when something happens in it. */
export type Surroundings = {
  /** The user id of the server's own bot. */
  botUserId: string;
  /** Whether the bot has this role itself. */
  isBotRole(roleId: string): boolean;
  /** What a member without any role may do: nobody gains that by a role or an overwrite. */
  everyoneMay: bigint;
  /** Undefined where it is not known what the role may do. */
  permissionsOf(roleId: string): bigint | undefined;
};

/** Which of the kinds that protection counts an entry of the audit log is. */
export const kindOf = (entry: AuditLogEntry, known: Surroundings): ActKind => {
  switch (entry.action) {
    case 'channelDeleted':
      return 'channelDeletes';
    case 'roleDeleted':
      return 'roleDeletes';
    case 'memberBanned':
      return 'bans';
    case 'memberKicked':
      return 'kicks';
    case 'webhookCreated':
      return 'webhookCreates';
    case 'emojiDeleted':
    case 'stickerDeleted':
      return 'emojiDeletes';
    case 'botAdded':
      return 'botAdds';
    case 'membersPruned':
      return 'prunes';
    case 'roleCreated':
    case 'roleChanged':
      if (gainsDanger(entry, 'permissions', known)) return 'dangerousGrants';
      return weakensBot(entry, known) ? 'settingsChanges' : 'edits';
    case 'overwriteCreated':
    case 'overwriteChanged':
      return gainsDanger(entry, 'allow', known) ? 'dangerousGrants' : 'edits';
    case 'memberRolesChanged':
      return kindOfRoleChange(entry, known);
    case 'inviteCreated':
    case 'inviteChanged':
    case 'onboardingCreated':
    case 'onboardingChanged':
    case 'onboardingPromptCreated':
    case 'onboardingPromptChanged':
      return kindOfGivenRoles(givenRoleIds(entry), known);
    case 'guildChanged':
      return kindOfSettings(entry);
    case 'memberChanged':
      // Somebody who is timed out can do hardly anything, the bot too.
      if (entry.targetId === known.botUserId && timesOut(entry)) return 'settingsChanges';
      return isAgainstMember(entry) ? 'edits' : 'other';
    default:
      return edits.has(entry.action) ? 'edits' : 'other';
  }
};

/** What somebody who destroys without deleting does. People upload emojis and open threads by the dozen. */
const edits: ReadonlySet<AuditAction> = new Set([
  ...(['channelCreated', 'channelChanged', 'overwriteDeleted', 'emojiChanged'] as const),
  ...(['stickerChanged', 'soundDeleted', 'eventDeleted'] as const),
  ...(['automodChanged', 'automodDeleted'] as const),
]);

const timesOut = ({ changes }: AuditLogEntry): boolean =>
  changes.some(({ key, after }) => key === 'communication_disabled_until' && after !== null);

/** Bots mute whole rounds of players; a name or a time-out is given one by one. */
const isAgainstMember = ({ executorId, targetId, changes }: AuditLogEntry): boolean =>
  executorId !== targetId &&
  changes.some(({ key }) => key === 'nick' || key === 'communication_disabled_until');

/** Of a role or an overwrite that is new, everything it allows is gained. */
const gainsDanger = (
  entry: AuditLogEntry,
  key: 'permissions' | 'allow',
  { everyoneMay }: Surroundings,
): boolean => {
  // By the time that the entry is heard, @everyone may have what it tells.
  const had = entry.targetId === entry.guildId ? 0n : everyoneMay;
  return entry.changes.some(
    (change) =>
      change.key === key && isDangerous(without(bitsOf(change.after), bitsOf(change.before) | had)),
  );
};

const isDangerous = (bits: bigint): boolean => (bits & dangerous) !== 0n;

/** Whoever takes from the bot's role what it needs takes its power to protect. */
const weakensBot = (entry: AuditLogEntry, known: Surroundings): boolean =>
  entry.targetId !== null &&
  known.isBotRole(entry.targetId) &&
  entry.changes.some(
    ({ key, before, after }) => key === 'permissions' && losesNeeded(bitsOf(before), bitsOf(after)),
  );

/** Of what is not a number nothing is known. */
export const bitsOf = (value: unknown): bigint =>
  (typeof value === 'string' && /^\d{1,30}$/.test(value)) || Number.isSafeInteger(value)
    ? BigInt(value as string | number)
    : 0n;

const kindOfRoleChange = (entry: AuditLogEntry, known: Surroundings): ActKind => {
  // Whoever takes roles from the bot itself takes its power to protect.
  if (entry.targetId === known.botUserId && roleIdsOf(entry, '$remove').length > 0) {
    return 'settingsChanges';
  }
  const kind = kindOfGivenRoles(givenRoleIds(entry), known);
  if (kind !== 'other') return kind;
  const taken = roleIdsOf(entry, '$remove');
  // Of their own roles people may lay down as many as they like.
  if (taken.length === 0 || entry.executorId === entry.targetId) return 'other';
  return kindOfGivenRoles(taken, known) === 'other' ? 'roleTakes' : 'demotions';
};

export const kindOfGivenRoles = (
  roleIds: readonly string[],
  { permissionsOf, everyoneMay }: Surroundings,
): 'dangerousGrants' | 'rolesGiven' | 'other' => {
  const given = roleIds.map(permissionsOf);
  if (given.some((bits) => bits !== undefined && isDangerous(without(bits, everyoneMay)))) {
    return 'dangerousGrants';
  }
  return given.includes(undefined) ? 'rolesGiven' : 'other';
};

/**
 * Roles that somebody gets by it: a member at once, whoever uses an invite or takes an option of the
 * onboarding later. What these gave before is nothing new.
 */
export const givenRoleIds = (entry: Pick<AuditLogEntry, 'changes'>): string[] => {
  const before = new Set(entry.changes.flatMap((change) => offeredIn(change.before, change.key)));
  return [
    ...roleIdsOf(entry, '$add'),
    ...entry.changes
      .flatMap((change) => offeredIn(change.after, change.key))
      .filter((id) => !before.has(id)),
  ];
};

/**
 * By a power of their own, or without any: what people choose in the onboarding, or get for an account that
 * they have linked, is told as if they had given it to themselves.
 */
export const isSelfGiven = ({
  action,
  executorId,
  targetId,
}: Pick<AuditLogEntry, 'action' | 'executorId' | 'targetId'>): boolean =>
  action === 'memberRolesChanged' && executorId !== null && executorId === targetId;

type StoredAct = Record<'before' | 'after', Record<string, unknown> | null>;

/** The changes of an entry that is stored. */
export const changesOfAct = ({ before, after }: StoredAct): AuditChange[] =>
  Object.entries(after ?? {}).map(([key, value]) => ({
    key,
    before: before?.[key] ?? null,
    after: value,
  }));

/** An invite has `role_ids` itself, a question of the onboarding in each of its options. */
const offeredIn = (value: unknown, key: string): string[] => {
  if (typeof value === 'string') return key === 'role_ids' ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => offeredIn(one, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => offeredIn(one, name));
};

export const roleIdsOf = (entry: Pick<AuditLogEntry, 'changes'>, key: '$add' | '$remove') =>
  entry.changes.flatMap((change) =>
    change.key === key && Array.isArray(change.after)
      ? change.after.flatMap((role: unknown) => idOf(role) ?? [])
      : [],
  );

const idOf = (role: unknown): string | undefined =>
  typeof role === 'object' && role !== null && 'id' in role && typeof role.id === 'string'
    ? role.id
    : undefined;

const kindOfSettings = ({ changes }: AuditLogEntry): ActKind => {
  if (changes.some(({ key }) => key === 'owner_id')) return 'ownerChanges';
  return changes.some(weakensGuild) ? 'settingsChanges' : 'edits';
};

/** The address that the guild is known by, and what keeps strangers and moderators' thieves out. */
const weakensGuild = ({ key, before, after }: AuditChange): boolean => {
  if (key === 'vanity_url_code') return before !== null;
  const isLevel = key === 'verification_level' || key === 'mfa_level';
  return isLevel && Number(after ?? 0) < Number(before ?? 0);
};
