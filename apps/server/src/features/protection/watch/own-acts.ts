import type { Queryable } from '../../../db/connect.ts';
import { timeOfEntry } from '../../../platform/audit-log.ts';
import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import { dangerous } from '../../../platform/permissions.ts';
import { type ClaimedJob, jobOfReason } from '../../servers/guild/audit-reasons.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import {
  findMassVerifiedRole,
  findPulledRoles,
  findVerifiedRole,
  hasReturned,
  isAwaitingReturn,
  isOverwriteSet,
  isRemovedNewcomer,
  isStopped,
  listOverwritesGivenBack,
  listRolesGivenBack,
} from '../queries/own-jobs.ts';
import { type Done, hasDeletedOrBanned, wasUnderRestore } from '../queries/own-restores.ts';
import { roleIdsOf, type Surroundings } from './classify.ts';
import type { ActKind } from './kinds.ts';
import { isCovered, isOfRestore } from './own-restore.ts';

type Server = { accountId: string; serverId: string };

/**
 * Whether one of our own jobs did what the server's bot is said to have done. The bot's token can be used
 * elsewhere, and a reason be copied from the log. So the entry must carry the reason of a job of ours, that
 * job must have been under way at the entry's own time, and its journal must name the very object or
 * person, with what they got. Every job writes that down before it calls the platform: an entry can
 * never come before it.
 */
export const isOwnAct = async (
  db: Queryable,
  server: Server,
  { entry, kind }: { entry: AuditLogEntry; kind: ActKind },
  known: Surroundings,
): Promise<boolean> => {
  const { targetId } = entry;
  const at = new Date(timeOfEntry(entry.entryId));
  const done = { accountId: server.accountId, serverId: server.serverId, at };
  const claimed = jobOfReason(entry.reason);
  // The onboarding is one thing, and comes back as the backup has it.
  if (entry.action.startsWith('onboarding') && claimed?.job === 'restore') {
    return wasUnderRestore(db, { ...done, restoreId: claimed.id });
  }
  if (targetId === null) return false;
  // A ban that is restored has the reason that it had.
  if (kind === 'bans' && claimed?.job !== 'raid') {
    return hasDeletedOrBanned(db, { ...done, restoreId: null }, { kind, targetId });
  }
  if (!claimed) return false;
  if (kind === 'edits') return isOwnEdit(db, done, claimed, entry);
  const act = { entry, kind, targetId, gained: rolesWithPower(entry, known) };
  if (claimed.job === 'restore') return isOfRestore(db, { ...done, restoreId: claimed.id }, act);
  const person = { ...done, platformId: targetId };
  if (kind === 'roleTakes' || kind === 'demotions') {
    return claimed.job === 'stop' && isStopped(db, person, { isBot: false });
  }
  return kind === 'dangerousGrants' || kind === 'rolesGiven'
    ? isOwnGift(db, person, claimed, act)
    : isOwnRemoval(db, person, claimed, kind);
};

/** A restore makes and changes so much that it is enough that it was under way. */
const isOwnEdit = async (
  db: Queryable,
  done: Done,
  { job, id }: ClaimedJob,
  entry: AuditLogEntry,
): Promise<boolean> => {
  if (job === 'restore') return wasUnderRestore(db, { ...done, restoreId: id });
  const { targetId: channelId, options } = entry;
  if (options.subjectId === undefined || channelId === null) {
    // Whoever comes back gets the name that they had.
    return entry.action === 'memberChanged';
  }
  const person = { ...done, platformId: options.subjectId };
  if (job === 'rejoin') return hasReturned(db, person);
  if (job === 'pull') return (await findPulledRoles(db, person, id)) !== undefined;
  if (job !== 'stop' && job !== 'rolesBack') return false;
  if (await isOverwriteSet(db, person, channelId)) return true;
  return job === 'rolesBack' && isOverwriteGivenBack(db, { ...done, platformId: channelId }, entry);
};

/** Those of the roles that were given that have power, or of which nothing is known. */
const rolesWithPower = (entry: AuditLogEntry, known: Surroundings): string[] =>
  roleIdsOf(entry, '$add').filter((id) => {
    const bits = known.permissionsOf(id);
    return bits === undefined || (bits & dangerous) !== 0n;
  });

type ToPerson = Parameters<typeof isStopped>[1];

const isOwnRemoval = async (
  db: Queryable,
  person: ToPerson,
  { job, id: incidentId }: ClaimedJob,
  kind: ActKind,
): Promise<boolean> => {
  if (kind === 'bans') return isRemovedNewcomer(db, person, { incidentId, decision: 'BAN' });
  if (kind !== 'kicks') return false;
  if (job === 'raid') return isRemovedNewcomer(db, person, { incidentId, decision: 'KICK' });
  return job === 'stop' && isStopped(db, person, { isBot: true });
};

const isOwnGift = async (
  db: Queryable,
  person: ToPerson,
  { job, id }: ClaimedJob,
  { entry, gained }: { entry: AuditLogEntry; gained: string[] },
): Promise<boolean> => {
  if (entry.action !== 'memberRolesChanged') {
    return job === 'rolesBack' && isOverwriteGivenBack(db, person, entry);
  }
  switch (job) {
    case 'verification': {
      const roleId = await findVerifiedRole(db, person);
      return gained.every((one) => one === roleId);
    }
    case 'massVerification': {
      const roleId = await findMassVerifiedRole(db, person, id);
      return gained.every((one) => one === roleId);
    }
    case 'pull': {
      const pulled = await findPulledRoles(db, person, id);
      if (!pulled) return false;
      const named = await rolesNow(db, person, pulled.allowed, gained);
      return gained.every((one) => one === pulled.roleId || named.has(one));
    }
    case 'rolesBack': {
      const named = await rolesNow(db, person, await listRolesGivenBack(db, person), gained);
      return gained.every((one) => named.has(one));
    }
    // It gives no role that has power, unless the role got it at this moment.
    case 'rejoin':
      return isAwaitingReturn(db, person);
    default:
      return false;
  }
};

const isOverwriteGivenBack = async (
  db: Queryable,
  { platformId: channelId, ...done }: ToPerson,
  entry: AuditLogEntry,
): Promise<boolean> => {
  const { subjectId: platformId } = entry.options;
  if (platformId === undefined || !entry.action.startsWith('overwrite')) return false;
  const given = await listOverwritesGivenBack(db, { ...done, platformId });
  if (given.length === 0) return false;
  const now = await idsNow(db, done, 'channels', {
    ...{ ids: given.map((one) => one.channelId), inGuild: [channelId] },
  });
  const taken = given
    .filter((one) => now[one.channelId] === channelId)
    .reduce((all, one) => all | BigInt(one.taken), 0n);
  return isCovered(entry, 'allow', taken.toString());
};

/** Which of the roles in the guild are these, also by the ids that a restore gave them. */
const rolesNow = async (
  db: Queryable,
  { accountId }: ToPerson,
  ids: readonly string[],
  inGuild: readonly string[],
): Promise<Set<string>> => {
  return new Set(Object.values(await idsNow(db, { accountId }, 'roles', { ids, inGuild })));
};

const idsNow = (
  db: Queryable,
  { accountId }: Pick<ToPerson, 'accountId'>,
  sort: 'roles' | 'channels',
  { ids, inGuild }: { ids: readonly string[]; inGuild: readonly string[] },
) =>
  resolveRestoredIds(db, accountId, sort, {
    ...{ ids, liveIds: new Set(inGuild), onlyCreated: true },
  });
