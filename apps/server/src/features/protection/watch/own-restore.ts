import type { Queryable } from '../../../db/connect.ts';
import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import type { Overwrite } from '../../../platform/guild.ts';
import { dangerous, without } from '../../../platform/permissions.ts';
import type { ActionOf, Ref } from '../../restores/plan/action.ts';
import {
  type Done,
  hasDeletedOrBanned,
  hasMadeWebhook,
  listMemberEdits,
  listOverwriteEdits,
  listRoleEdits,
  listSettingsEdits,
  type Named,
  nameOf,
} from '../queries/own-restores.ts';
import { bitsOf } from './classify.ts';
import type { ActKind } from './kinds.ts';

type OfRestore = Done & { restoreId: string };

/** `gained`: the roles with power that the entry says somebody got. */
type Act = { entry: AuditLogEntry; kind: ActKind; targetId: string; gained: readonly string[] };

/** Whether the journal of a restore has exactly this. */
export const isOfRestore = async (
  db: Queryable,
  restore: OfRestore,
  { entry, kind, targetId, gained }: Act,
): Promise<boolean> => {
  switch (kind) {
    case 'channelDeletes':
    case 'roleDeletes':
    case 'emojiDeletes':
      return hasDeletedOrBanned(db, restore, { kind, targetId });
    case 'webhookCreates': {
      const [channelId, name] = [textOf(entry, 'channel_id'), textOf(entry, 'name')];
      return hasMadeWebhook(db, restore, { webhookId: targetId, channelId, name });
    }
    case 'rolesGiven':
    case 'dangerousGrants':
      return isPlannedGrant(db, restore, { entry, targetId, gained });
    case 'roleTakes':
    case 'demotions':
      return (await listMemberEdits(db, restore, targetId)).length > 0;
    case 'settingsChanges':
      return isPlannedSetting(entry, await listSettingsEdits(db, restore));
    default:
      return false;
  }
};

const afterOf = ({ changes }: AuditLogEntry, key: string): unknown =>
  changes.find((change) => change.key === key)?.after;

const textOf = (entry: AuditLogEntry, key: string): string | null => {
  const value = afterOf(entry, key);
  return typeof value === 'string' ? value : null;
};

const isPlannedGrant = async (
  db: Queryable,
  restore: OfRestore,
  { entry, targetId, gained }: Pick<Act, 'entry' | 'targetId' | 'gained'>,
): Promise<boolean> => {
  switch (entry.action) {
    case 'roleChanged': {
      const edits = await listRoleEdits(db, restore, await nameOf(db, restore, 'roles', targetId));
      return edits.some(({ changes }) => isCovered(entry, 'permissions', changes.permissions));
    }
    case 'overwriteCreated':
    case 'overwriteChanged': {
      const subject = await nameOf(db, restore, 'roles', entry.options.subjectId ?? '');
      const channel = await nameOf(db, restore, 'channels', targetId);
      const edits = await listOverwriteEdits(db, restore, channel);
      return edits
        .flatMap(overwritesOf)
        .some((one) => isOf(one, subject) && isCovered(entry, 'allow', one.allow));
    }
    case 'memberRolesChanged': {
      const edits = await listMemberEdits(db, restore, targetId);
      const named = await Promise.all(gained.map((id) => nameOf(db, restore, 'roles', id)));
      return edits.some(({ roles = [] }) =>
        named.every((role) => roles.some((ref) => isNamed(ref, role))),
      );
    }
    default:
      return false;
  }
};

/** No dangerous permission came that was not to come. */
export const isCovered = (
  entry: AuditLogEntry,
  key: 'permissions' | 'allow',
  wanted: string | undefined,
): boolean => {
  const change = entry.changes.find((one) => one.key === key);
  const gained = without(bitsOf(change?.after), bitsOf(change?.before)) & dangerous;
  return without(gained, bitsOf(wanted)) === 0n;
};

const overwritesOf = (action: ActionOf<'editChannel' | 'setOverwrites'>): readonly Overwrite[] =>
  action.do === 'setOverwrites' ? action.overwrites : (action.changes.overwrites ?? []);

const isOf = ({ id }: Overwrite, subject: Named): boolean =>
  id === subject.id || subject.oldIds.includes(id);

const isNamed = (ref: Ref, { id, oldIds }: Named): boolean =>
  'present' in ref ? ref.present === id : oldIds.includes(ref.backup);

/** Of what protection watches, a restore sets only the level of verification. */
const isPlannedSetting = (
  entry: AuditLogEntry,
  edits: readonly ActionOf<'editSettings'>[],
): boolean => {
  const keys = entry.changes.map(({ key }) => key);
  if (entry.action !== 'guildChanged') return false;
  if (keys.includes('mfa_level') || keys.includes('vanity_url_code')) return false;
  const level = Number(afterOf(entry, 'verification_level') ?? 0);
  return edits.some(({ changes }) => changes.verificationLevel === level);
};
