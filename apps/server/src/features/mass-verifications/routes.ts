import type { DashboardEndpoints, massVerificationEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import type { ApiRequest, Handlers } from '../../http/handler.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../audit/queries.ts';
import type { BotDependencies } from '../bots/use/use-bot.ts';
import { auditedPower, readNamedRole, requireConfirmed } from '../servers/power/confirm-power.ts';
import type { RolePower } from '../servers/power/read-powers.ts';
import { tellConfirmed } from '../servers/power/tell-power.ts';
import { findServer } from '../servers/queries.ts';
import { runMassVerification } from './jobs.ts';
import { endJob, findJob, insertJob, type JobRow, listJobs, requestCancel } from './queries.ts';
import { progressOf, resultsOf } from './rules.ts';
import { previewMembers } from './run/preview.ts';

type Request = ApiRequest<(typeof massVerificationEndpoints)['createMassVerification']>;

export const massVerificationHandlers = (
  dependencies: BotDependencies,
): Handlers<typeof massVerificationEndpoints> => {
  const create = async (
    tx: Transaction,
    { account: { accountId }, actor, caller, server, body }: Request,
    role: RolePower | undefined,
  ) => {
    const { joinedBefore = null, roleId = null } = body;
    const found = await findServer(tx, { accountId, serverId: server.id });
    if (!found?.customBotId) throw notFound('Server');
    const { customBotId: botId, platformGuildId: guildId, verifiedRoleId } = found;
    if (verifiedRoleId === null) {
      throw conflict('The server has no verified role: choose one in its settings');
    }
    const typed = body.confirmRoleName;
    const field = 'verifiedRoleId';
    // A verified role that was changed meanwhile is nothing that anybody has confirmed.
    const chosen = role?.roleId === verifiedRoleId ? role : undefined;
    const power = requireConfirmed(chosen, { actor, caller, field, typed });
    const ids = { id: newId(), accountId, serverId: server.id };
    const request = { guildId, botId, verifiedRoleId, joinedBefore, roleId };
    const job = await insertJob(tx, { ...ids, ...request, confirmedPower: String(power) });
    if (!job) throw conflict('A mass verification of this server is under way');
    const payload = { jobId: job.id, accountId, botId };
    await dependencies.queue.enqueue(tx, runMassVerification, payload);
    const use = 'MASS_VERIFICATION';
    await tellConfirmed(
      tx,
      dependencies,
      { accountId, serverId: server.id },
      { use, role: chosen },
    );
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'massVerification.create',
      subject: { type: 'massVerification', id: job.id },
      changes: {
        ...{ serverId: server.id, verifiedRoleId, roleId },
        joinedBefore: joinedBefore?.toISOString() ?? null,
        ...auditedPower(power),
      },
    });
    return toAnswer(job);
  };

  return {
    async listMassVerifications(db, { server, query }) {
      const { rows, total } = await listJobs(db, server, query);
      return { rows: rows.map(toAnswer), total };
    },

    createMassVerification: {
      async askFirst(db, { account: { accountId }, params: { id: serverId } }) {
        const found = await findServer(db, { accountId, serverId });
        const role =
          found &&
          (await readNamedRole(
            dependencies,
            { accountId, botId: found.customBotId, guildId: found.platformGuildId },
            found.verifiedRoleId,
          ));
        return (tx, request) => create(tx, request, role);
      },
    },
    async getMassVerification(db, { account: { accountId }, params }) {
      const job = await findJob(db, { accountId, jobId: params.id });
      if (!job) throw unknownJob();
      return toAnswer(job);
    },

    async cancelMassVerification(tx, { account: { accountId }, actor, params }) {
      const owner = { accountId, jobId: params.id };
      if (!(await findJob(tx, owner))) throw unknownJob();
      // One that no worker has begun ends at once.
      const ended = await endJob(tx, owner, { status: 'cancelled' }, 'queued');
      const job = ended ?? (await requestCancel(tx, owner));
      if (!job) throw conflict('This mass verification has ended already');
      await recordAudit(tx, {
        accountId,
        actor,
        action: ended ? 'massVerification.end' : 'massVerification.cancel',
        subject: { type: 'massVerification', id: job.id },
        changes: { serverId: job.serverId, ...(ended && { status: job.status }) },
      });
      return toAnswer(job);
    },
  };
};

export const massVerificationDashboardHandlers = (
  dependencies: BotDependencies,
): Handlers<Pick<DashboardEndpoints, 'previewMassVerification'>> => ({
  async previewMassVerification(db, { server, query }) {
    const { accountId, id: serverId } = server;
    const found = await findServer(db, { accountId, serverId });
    if (!found?.customBotId) throw notFound('Server');
    const { customBotId: botId, platformGuildId: guildId, verifiedRoleId } = found;
    return previewMembers(dependencies, server, { guildId, botId, verifiedRoleId }, query);
  },
});

const unknownJob = () => notFound('Mass verification');

const toAnswer = (job: JobRow) => ({
  ...job,
  progress: progressOf(job),
  results: resultsOf(job),
  pullable: false as const,
});
