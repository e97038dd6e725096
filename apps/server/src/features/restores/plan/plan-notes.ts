import { permissionNames } from '../../../platform/permission-names.ts';
import { splitPermissions } from '../../../platform/permissions.ts';
import type { Note } from './note.ts';
import type { PlanContext } from './plan-context.ts';
import type { GuildState, Step } from './step.ts';

/** By then the platform had made these permissions of their own. */
const splitBefore = Date.UTC(2026, 2, 1);

export const planNotes = (
  { restores, current }: PlanContext,
  steps: Step[],
  savedAt: Date | undefined,
): Note[] => {
  const deleted = new Set(
    steps.flatMap(({ action }) => (action.do === 'deleteChannel' ? [action.channelId] : [])),
  );
  const namesPermissions = restores('roles') || restores('channels');
  const isOld = savedAt !== undefined && savedAt.getTime() < splitBefore;
  return [
    ...(deleted.size === 0 ? [] : [noteDeleted(current, deleted)]),
    ...(namesPermissions && isOld
      ? [{ code: 'olderThanPermissions' as const, permissions: permissionNames(splitPermissions) }]
      : []),
  ];
};

/** An invite belongs to a channel, but only how many there are is known: of all channels they all go. */
const noteDeleted = ({ channels, parts }: GuildState, deleted: Set<string>): Note => ({
  code: 'deletedWithChannels',
  channels: deleted.size,
  ...(parts?.webhooks
    ? { webhooks: parts.webhooks.filter(({ channelId }) => deleted.has(channelId ?? '')).length }
    : {}),
  ...(parts?.inviteCodes && deleted.size === channels.length
    ? { invites: parts.inviteCodes.length }
    : {}),
  ...(deleted.has(parts?.widget?.channelId ?? '') ? { hasWidget: true } : {}),
});
