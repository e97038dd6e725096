import { z } from 'zod';
import type { Transaction } from '../../../db/connect.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { botPermissionsIn, readBotMember } from '../../../platform/permissions.ts';
import type { BotPlatform, GuildPlatform } from '../../../platform/port.ts';
import { type LeasedJob, ofAccount } from '../../../queue/job.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { findMember, isMemberGone, isRefusalOfRoles } from '../../pulls/roles/give-missing.ts';
import { isBotLoss } from '../../pulls/rules.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import {
  countReturns,
  endReturn,
  findToReturn,
  listOverwritesTaken,
  listRolesWanted,
  type ReturnResult,
  type ToReturn,
} from '../queries/returns.ts';
import { beginStep, endStep, listBegunSteps } from '../queries/steps.ts';
import { type GiveOverwrites, prepareOverwrites } from './return-overwrites.ts';

export const returnTakenRoles = {
  name: 'protection.return-roles',
  payload: z.object({ accountId: z.guid(), incidentId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 16,
};
type OfIncident = z.output<typeof returnTakenRoles.payload>;

/** Somebody may be about to be stopped in an incident that is dismissed while it is open. */
const whileOpenSeconds = 5;

/** For an incident that is locked: the step of its journal ends when nobody waits any more. */
export const returnRolesLater = async (
  tx: Transaction,
  queue: Pick<Queue, 'enqueue'>,
  incident: OfIncident,
  { isOpen }: { isOpen: boolean },
): Promise<void> => {
  await beginStep(tx, incident, { kind: 'RETURN_ROLES' });
  const options = isOpen ? { startAfterSeconds: whileOpenSeconds } : {};
  await queue.enqueue(tx, returnTakenRoles, incident, options);
};

/** Gives people the roles back that were taken from them in an incident. */
export const returnRolesJob = (dependencies: BotDependencies): LeasedJob<OfIncident> => ({
  ...returnTakenRoles,
  subjectOf: ({ incidentId }) => `return-roles:${incidentId}`,
  givesWay: true,
  run: (payload, signal, lease) => returnAll(dependencies, payload, { signal, lease }),
});

const returnAll = async (
  dependencies: BotDependencies,
  owner: OfIncident,
  run: LeasedRun,
): Promise<void> => {
  const { db } = dependencies;
  const incident = await findToReturn(db, owner);
  const wanted = await listRolesWanted(db, owner.incidentId);
  if (!incident || wanted.length === 0) return;
  const settle = (platformId: string, result: ReturnResult) =>
    run.lease.transaction(db, (tx) => settleReturn(tx, incident, { ...owner, platformId, result }));
  try {
    // The roles are those of another guild.
    if (incident.isMoved) throw new BotUnusable('The server has another guild now');
    await useBot(dependencies, incident, async (bot) => {
      const giving = await prepareGiving(dependencies, bot, { ...incident, ...owner }, wanted, run);
      for (const person of wanted) {
        run.signal.throwIfAborted();
        await settle(person.platformId, await giveBack(giving, person));
      }
    });
  } catch (error) {
    if (!isBotUseless(error)) throw error;
    for (const { platformId } of await listRolesWanted(db, owner.incidentId)) {
      await settle(platformId, 'failed');
    }
  }
};

type Returned = OfIncident & { platformId: string; result: ReturnResult };

/** With the last one it is at its end: whatever happens next, that is recorded, and once. */
const settleReturn = async (
  tx: Transaction,
  { serverId }: ToReturn,
  { platformId, result, ...owner }: Returned,
): Promise<void> => {
  await endReturn(tx, { ...owner, serverId }, platformId, result);
  const left = await listRolesWanted(tx, owner.incidentId);
  if (left.length > 0) return;
  const results = await countReturns(tx, owner.incidentId);
  const status = results.returned > 0 ? 'done' : 'failed';
  for (const { seq } of await listBegunSteps(tx, owner, { kind: 'RETURN_ROLES' })) {
    await endStep(tx, owner, { seq, status, detail: results });
  }
  await recordAudit(tx, {
    ...{ accountId: owner.accountId, actor: systemActor, action: 'incident.roles_returned' },
    subject: { type: 'incident', id: owner.incidentId },
    changes: { serverId, ...results },
  });
};

/** Until the owner asks again. */
const isBotUseless = (error: unknown): boolean =>
  error instanceof BotUnusable || (error instanceof PlatformFailure && isBotLoss(error.kind));

type Person = { platformId: string; rolesTaken: string[] };
type Giving = {
  guild: GuildPlatform;
  giveOverwrites: GiveOverwrites;
  /** The roles as they are called now; those that are gone, or out of the bot's reach, are left out. */
  rolesNow(taken: readonly string[]): string[];
};

const prepareGiving = async (
  { db }: Pick<BotDependencies, 'db'>,
  bot: BotPlatform,
  { accountId, guildId, incidentId }: ToReturn & { incidentId: string },
  people: readonly Person[],
  { lease, signal }: LeasedRun,
): Promise<Giving> => {
  const guild = bot.guild(guildId, { signal, reason: auditReasons.rolesBack() });
  const { roles, ownerId } = await guild.read();
  const member = await readBotMember(bot, guildId, { signal });
  const own = botPermissionsIn(member, { guildId, ownerId, roles });
  const giveable = new Set(
    roles.filter((role) => !role.isManaged && own.reaches(role)).map(({ id }) => id),
  );
  // Not what only has the name of a role: it might give more power than was taken.
  const now = await resolveRestoredIds(db, accountId, 'roles', {
    ids: [...new Set(people.flatMap(({ rolesTaken }) => rolesTaken))],
    liveIds: new Set(roles.map(({ id }) => id)),
    onlyCreated: true,
  });
  const taken = await listOverwritesTaken(db, incidentId);
  return {
    guild,
    giveOverwrites: await prepareOverwrites(
      { db, lease, owner: { accountId, incidentId }, guild, bot: own },
      taken,
    ),
    rolesNow: (taken) => taken.flatMap((id) => now[id] ?? []).filter((id) => giveable.has(id)),
  };
};

/** Takes nothing away; whoever has the roles already is not touched. */
const giveBack = async (
  { guild, rolesNow, giveOverwrites }: Giving,
  { platformId, rolesTaken }: Person,
): Promise<ReturnResult> => {
  const member = await findMember(guild, platformId);
  if (!member) return 'left';
  if (!(await giveOverwrites(platformId))) return 'failed';
  if (rolesTaken.length === 0) return 'returned';
  const roles = rolesNow(rolesTaken);
  if (roles.length === 0) return 'failed';
  const missing = roles.filter((id) => !member.roleIds.includes(id));
  if (missing.length === 0) return 'returned';
  return guild.editMember(platformId, { roleIds: [...member.roleIds, ...missing] }).then(
    () => 'returned' as const,
    (error: unknown) => {
      if (isMemberGone(error)) return 'left' as const;
      if (isRefusalOfRoles(error)) return 'failed' as const;
      throw error;
    },
  );
};
