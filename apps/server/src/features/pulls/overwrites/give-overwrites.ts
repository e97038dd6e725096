import type { Database } from '../../../db/connect.ts';
import { entryIdAt, readEntriesAfter } from '../../../platform/audit-log.ts';
import { type FailureKind, isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import {
  type BotPermissions,
  includes,
  permission,
  settableBy,
} from '../../../platform/permissions.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { SavedOverwrite } from '../../backups/people/read-overwrites.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { heldAtLast, planOverwrites } from './plan-overwrites.ts';

/** What a backup of that time has of somebody's own overwrites. */
export type SavedOverwrites = { savedAt: Date; overwrites: readonly SavedOverwrite[] };

type Person = { accountId: string; platformId: string; bot: BotPermissions };

/** Of an audit log that is longer since the backup, nothing is known. */
const mostPages = 10;
/** After so many refusals no more are provoked. */
const maxRefusals = 5;

/**
 * Gives somebody who is there again the overwrites of their own, which the platform took when they left:
 * what they are denied always, what they are allowed only as `judgeOverwrite` says, in channels that are
 * certainly the same, and where the audit log tells what was changed since. False where some of it is refused.
 */
export const giveOverwrites = async (
  db: Database,
  guild: GuildPlatform,
  { savedAt, overwrites }: SavedOverwrites,
  { accountId, platformId, bot }: Person,
): Promise<boolean> => {
  if (!includes(bot.permissions, permission.manageRoles)) return false;
  const channels = await guild.readChannels();
  const ids = overwrites.map(({ channelId }) => channelId);
  const liveIds = new Set(channels.map(({ id }) => id));
  const now = await resolveRestoredIds(db, accountId, 'channels', { ids, liveIds });
  const certain = await resolveRestoredIds(db, accountId, 'channels', {
    ids,
    liveIds,
    onlyCreated: true,
  });
  const since = await readSince(guild, savedAt);
  const saved = overwrites.flatMap(({ channelId, allow, deny }) => {
    const id = now[channelId];
    const isAllowed = since !== undefined && id === certain[channelId];
    return id ? [[id, { allow: isAllowed ? BigInt(allow) : 0n, deny: BigInt(deny) }] as const] : [];
  });
  const person = { platformId, channels };
  const settable = settableBy(bot);
  const held = [...heldAtLast(new Map(saved), since ?? [], person)].map(
    ([id, { allow, deny }]) => [id, { allow: allow & settable, deny: deny & settable }] as const,
  );
  let refusals = 0;
  for (const { channelId, overwrite } of planOverwrites(new Map(held), person)) {
    await guild.giveOverwrite(channelId, overwrite).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      refusals += 1;
    });
    if (refusals === maxRefusals) return false;
  }
  return refusals === 0;
};

/** Undefined where it cannot be read, or is too long. */
const readSince = (guild: GuildPlatform, savedAt: Date): Promise<AuditLogEntry[] | undefined> =>
  readEntriesAfter(guild, entryIdAt(savedAt), mostPages).catch((error: unknown) => {
    if (!(error instanceof PlatformFailure) || isPassing(error)) throw error;
    return undefined;
  });

/** About this channel alone, or because they have left again. */
const refusalKinds: readonly FailureKind[] = [
  'missingPermission',
  'noAccess',
  'unknownChannel',
  'refused',
];

const isRefusal = (error: unknown): boolean =>
  error instanceof PlatformFailure && refusalKinds.includes(error.kind);
