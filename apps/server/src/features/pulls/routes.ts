import type { DashboardEndpoints, pullEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import { violatedConstraint } from '../../db/failures.ts';
import { markUnchanged } from '../../http/audited.ts';
import type { ApiRequest, Handlers, OwnedServer } from '../../http/handler.ts';
import { conflict, notFound, pullTooEarly } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../audit/queries.ts';
import { findBackupOfMembers } from '../backups/queries.ts';
import { countMembers } from '../members/queries/list.ts';
import { auditedPower, mayConfirmPower, requireConfirmed } from '../servers/power/confirm-power.ts';
import { tellAllowed, tellConfirmed } from '../servers/power/tell-power.ts';
import { findGuildOfServer } from '../servers/queries.ts';
import { runPull } from './jobs.ts';
import {
  type CooldownStart,
  findCooldownEnd,
  lockCooldown,
  releaseCooldown,
  startCooldown,
} from './queries/cooldown.ts';
import { countNamedPullable, findSecondsPerMember } from './queries/expected.ts';
import {
  endPull,
  findPull,
  hasTried,
  insertPull,
  listPulls,
  type PullOwner,
  type PullRow,
  requestCancel,
  requeuePull,
} from './queries/pulls.ts';
import {
  ensureRecall,
  type PreparedRecall,
  type RecallDependencies,
  storeMadeRecall,
} from './recall/ensure-recall.ts';
import { describeUnrestored } from './roles/describe-unrestored.ts';
import { type NamedRoles, readNamedRoles } from './roles/named-roles.ts';
import { type PreviewDependencies, previewRoles } from './roles/preview.ts';
import { assumedSecondsPerMember, etaSecondsOf, progressOf, resultsOf } from './rules.ts';

type RouteDependencies = RecallDependencies & PreviewDependencies;
type CreateRequest = ApiRequest<(typeof pullEndpoints)['createPull']>;
type RecallRefusal = Extract<PreparedRecall, { kind: 'refused' }>['reason'];

export const pullHandlers = (dependencies: RouteDependencies): Handlers<typeof pullEndpoints> => {
  const create = async (
    tx: Transaction,
    { account, actor, caller, server, body }: CreateRequest,
    { role, allowed }: NamedRoles,
  ) => {
    const { accountId, limits } = account;
    const { targetServerId = server.id, roleId = null, limit = null, memberIds = null } = body;
    const { restoreRoles = true, allowDangerousRoles = [] } = body;
    const request = { serverId: server.id, targetServerId, roleId, restoreRoles };
    const target = await findGuildOfServer(tx, { accountId, serverId: targetServerId });
    if (!target) throw notFound('Server');
    const typed = body.confirmRoleName;
    const power = requireConfirmed(role, { actor, caller, field: 'roleId', typed });
    const pullId = newId();
    const cooldownMs = limits.pullCooldownMs;
    await claimCooldown(tx, { serverId: server.id, pullId, cooldownMs });
    const source = restoreRoles ? await findBackupOfMembers(tx, server) : undefined;
    const confirmedPower = String(power);
    const row = {
      id: pullId,
      accountId,
      ...request,
      confirmedPower,
      memberLimit: limit,
      memberIds,
    };
    const pull = await insertPull(tx, {
      ...{ ...row, allowDangerousRoles, rolesFromBackupId: source?.id },
      expectedTotal: await countExpected(tx, server, { limit, memberIds }),
      expectedSecondsPerMember: await findSecondsPerMember(tx, { accountId, ...request }),
    });
    if (!pull) throw underWay();
    const payload = { pullId, accountId, botId: target.botId };
    await dependencies.queue.enqueue(tx, runPull, payload);
    const told = { accountId, serverId: targetServerId };
    await tellConfirmed(tx, dependencies, told, { use: 'PULL', role });
    await tellAllowed(tx, dependencies, told, { actor, roles: allowed });
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'pull.create',
      subject: { type: 'pull', id: pullId },
      changes: {
        ...request,
        ...{ allowDangerousRoles, limit, namedMembers: memberIds?.length ?? null },
        ...auditedPower(power),
      },
    });
    return toAnswer(pull);
  };

  return {
    async listPulls(db, { server, query }) {
      const { rows, total } = await listPulls(db, server, query);
      return { rows: rows.map(toAnswer), total };
    },

    createPull: {
      async askFirst(_db, { account: { accountId }, params, body }) {
        const owner = { accountId, serverId: params.id };
        const named = await readNamedRoles(dependencies, owner, body);
        return (tx, request) => create(tx, request, named);
      },
    },

    async getPull(db, { account, params }) {
      const pull = await findPull(db, { accountId: account.accountId, pullId: params.id });
      if (!pull) throw notFound('Pull');
      return toAnswer(pull);
    },

    async cancelPull(tx, { account, actor, params }) {
      const owner = { accountId: account.accountId, pullId: params.id };
      if (!(await findPull(tx, owner))) throw notFound('Pull');
      const ended = await endQueued(tx, owner);
      const pull = ended ?? (await requestCancel(tx, owner));
      if (!pull) throw conflict('This pull has ended already');
      await recordAudit(tx, {
        accountId: account.accountId,
        actor,
        action: ended ? 'pull.end' : 'pull.cancel',
        subject: { type: 'pull', id: pull.id },
        changes: { serverId: pull.serverId, ...(ended && { status: pull.status }) },
      });
      return toAnswer(pull);
    },

    async resumePull(tx, { account, actor, caller, params }) {
      const { accountId, limits } = account;
      const owner = { accountId, pullId: params.id };
      const stopped = await findPull(tx, owner);
      if (!stopped) throw notFound('Pull');
      const { serverId, targetServerId } = stopped;
      const target = await findGuildOfServer(tx, { accountId, serverId: targetServerId });
      if (!target) throw conflict('The server that members were called to is deleted');
      requireStopped(stopped);
      if (!(await hasTried(tx, owner))) {
        // It got its cooldown back when it ended: otherwise a store of such pulls would need none.
        const cooldownMs = limits.pullCooldownMs;
        await claimCooldown(tx, { serverId, pullId: owner.pullId, cooldownMs });
      }
      const isConfirmed = mayConfirmPower(actor, caller);
      const pull = await requeuePull(tx, owner, isConfirmed).catch((error) => {
        throw violatedConstraint(error) === 'pulls_active_of_server' ? underWay() : error;
      });
      if (!pull) throw nobodyLeft();
      const payload = { pullId: pull.id, accountId, botId: target.botId };
      await dependencies.queue.enqueue(tx, runPull, payload);
      await recordAudit(tx, {
        accountId,
        actor,
        action: 'pull.resume',
        subject: { type: 'pull', id: pull.id },
        changes: { serverId, processed: pull.processed, total: pull.total },
      });
      return toAnswer(pull);
    },

    recallPull: {
      async askFirst(_db, { account: { accountId }, params }) {
        const owner = { accountId, pullId: params.id };
        const prepared = await ensureRecall(dependencies, owner);
        return async (tx, { actor }) => {
          if (prepared.kind === 'refused') throw refusedRecall(prepared.reason);
          if (prepared.kind === 'failed') throw conflict(prepared.message);
          if (prepared.kind === 'living') markUnchanged(tx);
          else await storeMadeRecall(tx, dependencies.ring, owner, { made: prepared, actor });
          const { code, members, expiresAt } = prepared.recall;
          return { url: dependencies.platform.inviteUrl(code), members, expiresAt };
        };
      },
    },
  };
};

export const pullDashboardHandlers = (
  dependencies: PreviewDependencies,
): Handlers<Pick<DashboardEndpoints, 'previewPull'>> => ({
  async previewPull(db, { account: { accountId }, server, query }) {
    const { targetServerId = server.id } = query;
    const target = await findGuildOfServer(db, { accountId, serverId: targetServerId });
    if (!target) throw notFound('Server');
    const place = { accountId, serverId: server.id, targetServerId };
    const measured = await findSecondsPerMember(db, place);
    const roles = await previewRoles(dependencies, { server, target });
    return { ...roles, secondsPerMember: measured ?? assumedSecondsPerMember };
  },
});

const refusedRecall = (reason: RecallRefusal): Error => {
  if (reason === 'unknownPull') return notFound('Pull');
  return conflict(
    {
      underWay: 'This pull is under way',
      nobody: 'There is nobody to invite: no member of this pull has an invalid token',
      busy: 'The invite is being created: ask again in a moment',
    }[reason],
  );
};

const underWay = () => conflict('A pull of this server is under way');
const nobodyLeft = () => conflict('Nobody is left to pull');

const requireStopped = ({ status }: PullRow): void => {
  if (status === 'queued' || status === 'running') throw conflict('This pull is under way');
  if (status === 'completed') throw nobodyLeft();
};

/** A pull that no worker has begun ends at once; undefined where one has. */
const endQueued = async (tx: Transaction, owner: PullOwner) => {
  await lockCooldown(tx, owner.pullId);
  const pull = await endPull(tx, owner, { status: 'cancelled' }, 'queued');
  if (pull) await releaseCooldown(tx, owner.pullId);
  return pull;
};

const claimCooldown = async (tx: Transaction, start: CooldownStart): Promise<void> => {
  while (!(await startCooldown(tx, start))) {
    const end = await findCooldownEnd(tx, start);
    // Otherwise it was released in between, or is over by now: then it can be started.
    if (end && end.seconds > 0) throw pullTooEarly(end.at, end.seconds);
  }
};

/** How many members there will be to pull, as far as is known before they are selected. */
const countExpected = async (
  tx: Transaction,
  server: OwnedServer,
  { limit, memberIds }: { limit: number | null; memberIds: string[] | null },
): Promise<number> => {
  const members = memberIds
    ? await countNamedPullable(tx, server, memberIds)
    : (await countMembers(tx, server)).pullableMembers;
  return Math.min(members, limit ?? members);
};

const toAnswer = (pull: PullRow) => ({
  ...pull,
  warnings: describeUnrestored(pull),
  progress: progressOf(pull),
  results: resultsOf(pull),
  etaSeconds: etaSecondsOf(pull),
});
