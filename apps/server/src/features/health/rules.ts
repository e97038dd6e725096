import type { Health } from '@holdfast/contract';
import type { GuildStructure } from '../backups/last-good/structure.ts';
import type { HealthReason } from '../servers/health/describe-health.ts';
import type { Absence } from './table.ts';

/**
 * The health of a server, by what is known of its guild:
 *
 * - LOST: the bot is not in the guild, or there is none any more.
 * - DAMAGED: much of the last good backup is missing.
 * - CHANGED: what a setting names is gone.
 * - UNKNOWN: the guild was not seen, or there is no good backup to compare it with.
 * - GOOD: none of these.
 *
 * The first that holds is the health; the reasons name all that hold. Whether the bot is connected is
 * added when the health is shown: a lost connection changes nothing in the guild, and its return must not
 * raise the same alarm again.
 */

/** Ids of what is there; a section that was not seen is absent. */
export type LiveGuild = {
  isInGuild: boolean;
  absence?: Absence | null;
  channelIds?: ReadonlySet<string>;
  roleIds?: ReadonlySet<string>;
};

type Sort = 'channels' | 'roles';

/** What the guild is compared with, and by which ids its things live since they were restored. */
export type Reference = {
  structure: GuildStructure;
  liveIds: Record<Sort, Record<string, string>>;
};

export type Pointers = {
  verifiedRoleId: string | null;
  logChannelId: string | null;
  missingRoleId: string | null;
  missingChannelId: string | null;
};

/** Channels of panels that the guild does not have, under no id that restores gave them. */
type GonePanels = { panelChannelsGone: number };

export type Assessment = { health: Health; healthReasons: HealthReason[] };

export const healthOf = (
  live: LiveGuild | undefined,
  lastGood: Reference | undefined,
  pointers: Pointers & GonePanels,
): Assessment => {
  if (live && !live.isInGuild) {
    return { health: 'LOST', healthReasons: [{ code: codeOfAbsence(live.absence ?? null) }] };
  }
  const damage = live && lastGood ? findDamage(live, lastGood) : [];
  const changes = findGone(live, pointers);
  const unknowns: HealthReason[] = [
    ...(live ? [] : [{ code: 'NOT_SEEN' } as const]),
    ...(lastGood ? [] : [{ code: 'NO_GOOD_BACKUP' } as const]),
  ];
  const healthReasons = [...damage, ...changes, ...unknowns];
  if (damage.length > 0) return { health: 'DAMAGED', healthReasons };
  if (changes.length > 0) return { health: 'CHANGED', healthReasons };
  return { health: unknowns.length > 0 ? 'UNKNOWN' : 'GOOD', healthReasons };
};

export const codeOfAbsence = (absence: Absence | null) => {
  if (absence === 'REMOVED') return 'BOT_REMOVED' as const;
  return absence === 'DELETED' ? ('GUILD_DELETED' as const) : ('BOT_NOT_IN_GUILD' as const);
};

/** Of channels and roles together. */
const missingThings = 3;
/** Of channels or of roles alone: at least so many, if they are so large a part. */
const missingOfOneSort = 2;
const missingPercent = 20;

const findDamage = (live: LiveGuild, { structure, liveIds }: Reference): HealthReason[] => {
  const counted = [
    count('CHANNELS_MISSING', structure.channelIds, live.channelIds && liveIds.channels),
    count('ROLES_MISSING', structure.roleIds, live.roleIds && liveIds.roles),
  ];
  const missing = counted.reduce((sum, one) => sum + one.missing, 0);
  const isDamaged = missing >= missingThings || counted.some(isLargePart);
  return isDamaged ? counted.filter((one) => one.missing > 0) : [];
};

/** A section that was not seen misses nothing. */
const count = (
  code: 'CHANNELS_MISSING' | 'ROLES_MISSING',
  ids: readonly string[],
  liveIds: Record<string, string> | undefined,
) => ({
  code,
  missing: liveIds ? ids.filter((id) => liveIds[id] === undefined).length : 0,
  total: ids.length,
});

const isLargePart = ({ missing, total }: { missing: number; total: number }): boolean =>
  missing >= missingOfOneSort && missing * 100 >= total * missingPercent;

/** What was seen decides; where a section was not seen, whether its thing was missed before. */
const findGone = (live: LiveGuild | undefined, pointers: Pointers & GonePanels): HealthReason[] => {
  const { verifiedRoleId, logChannelId, missingRoleId, missingChannelId } = pointers;
  const isGone = (
    id: string | null,
    seen: ReadonlySet<string> | undefined,
    missing: string | null,
  ): boolean => id !== null && (seen ? !seen.has(id) : id === missing);
  return [
    ...(isGone(verifiedRoleId, live?.roleIds, missingRoleId)
      ? [{ code: 'VERIFIED_ROLE_MISSING' } as const]
      : []),
    ...(isGone(logChannelId, live?.channelIds, missingChannelId)
      ? [{ code: 'LOG_CHANNEL_MISSING' } as const]
      : []),
    ...(pointers.panelChannelsGone > 0 ? [{ code: 'PANEL_CHANNEL_MISSING' } as const] : []),
  ];
};

const fromBestToWorst: readonly Health[] = ['GOOD', 'UNKNOWN', 'CHANGED', 'DAMAGED', 'LOST'];

export const worseOf = (one: Health, other: Health): Health =>
  fromBestToWorst.indexOf(one) < fromBestToWorst.indexOf(other) ? other : one;

/**
 * While a restore runs it deletes and makes things, so a server does not become damaged or changed by it:
 * it stays what it was until the restore has ended. That the guild is lost is seen at once, and so is
 * every improvement.
 */
export const settleHealth = (
  before: Assessment,
  now: Assessment,
  isRestoring: boolean,
): Assessment => {
  const isByRestore = now.health === 'DAMAGED' || now.health === 'CHANGED';
  const isWorse = before.health !== now.health && worseOf(before.health, now.health) === now.health;
  return isRestoring && isByRestore && isWorse ? before : now;
};
