import type { pullEndpoints } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import { conflict, notFound, pullTooEarly } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { findGuildOfServer } from '../servers/queries.ts';
import { runPull } from './jobs.ts';
import {
  type CooldownStart,
  findCooldownEnd,
  lockCooldown,
  releaseCooldown,
  startCooldown,
} from './queries/cooldown.ts';
import {
  endPull,
  findPull,
  insertPull,
  listPulls,
  type PullOwner,
  type PullRow,
  requestCancel,
} from './queries/pulls.ts';
import { etaSecondsOf, progressOf, resultsOf } from './rules.ts';

type RouteDependencies = { queue: Pick<Queue, 'enqueue'> };

export const pullHandlers = ({ queue }: RouteDependencies): Handlers<typeof pullEndpoints> => ({
  async listPulls(db, { server, query }) {
    const { rows, total } = await listPulls(db, server, query);
    return { rows: rows.map(toAnswer), total };
  },

  async createPull(tx, { account, actor, server, body }) {
    const { accountId, limits } = account;
    const { targetServerId = server.id, roleId = null, limit = null, memberIds = null } = body;
    const request = { serverId: server.id, targetServerId, roleId };
    const target = await findGuildOfServer(tx, { accountId, serverId: targetServerId });
    if (!target) throw notFound('Server');
    const pullId = newId();
    const cooldownMs = limits.pullCooldownMs;
    await claimCooldown(tx, { serverId: server.id, pullId, cooldownMs });
    const row = { id: pullId, accountId, ...request, memberLimit: limit, memberIds };
    const pull = await insertPull(tx, row);
    if (!pull) throw conflict('A pull of this server is under way');
    const payload = { pullId, accountId, botId: target.botId };
    await queue.enqueue(tx, runPull, payload, { group: accountId });
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'pull.create',
      subject: { type: 'pull', id: pullId },
      changes: { ...request, limit, namedMembers: memberIds?.length ?? null },
    });
    return toAnswer(pull);
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
      changes: ended ? { status: pull.status } : {},
    });
    return toAnswer(pull);
  },
});

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

const toAnswer = (pull: PullRow) => ({
  ...pull,
  progress: progressOf(pull),
  results: resultsOf(pull),
  etaSeconds: etaSecondsOf(pull),
});
