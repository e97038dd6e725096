import type { incidentEndpoints, protectionEndpoints } from '@holdfast/contract';
import type { Queryable } from '../../db/connect.ts';
import type { Account, Handlers } from '../../http/handler.ts';
import { conflict, forbidden, notFound } from '../../kernel/errors.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudits } from '../audit/queries.ts';
import { findIntents } from '../bots/queries.ts';
import { describeRestore } from '../restores/run/describe-restore.ts';
import type { PreviewRestore } from '../restores/run/preview.ts';
import { findServer, lockServer, updateServer } from '../servers/queries.ts';
import { decide, takeBack } from './incidents/decide.ts';
import { describeIncidents } from './incidents/describe-incidents.ts';
import { planRepair, repairIncident } from './incidents/repair/repair.ts';
import { findIncident, type IncidentRow, listIncidents } from './queries/incidents.ts';
import { findStoredSettings } from './queries/settings.ts';
import { completeSettings, type PendingWeakening, type Settings } from './rules.ts';
import { auditedChanges, changeSettings } from './settings/change-settings.ts';
import type { ReadLimits } from './settings/read-limits.ts';

type Dependencies = {
  queue: Pick<Queue, 'enqueue'>;
  readLimits: ReadLimits;
  preview: PreviewRestore;
};

export const protectionHandlers = ({
  queue,
  readLimits,
  preview,
}: Dependencies): Handlers<typeof protectionEndpoints & typeof incidentEndpoints> => ({
  async getProtection(db, { server: { id: serverId, accountId } }) {
    const owner = { accountId, serverId };
    const server = await findServer(db, owner);
    if (!server) throw notFound('Server');
    const stored = await findStoredSettings(db, owner);
    const settings = completeSettings(server, stored);
    const cannotStop = await readLimits(await knownOf(db, server));
    return { ...toAnswer(settings, stored?.pending ?? []), cannotStop };
  },

  updateProtection: {
    async askFirst(db, { account: { accountId }, params }) {
      const asked = await findServer(db, { accountId, serverId: params.id });
      const cannotStop = asked ? await readLimits(await knownOf(db, asked)) : [];
      return async (tx, { account, actor, server: owned, body, requireCodeForChanges }) => {
        const owner = { accountId, serverId: owned.id };
        const server = await lockServer(tx, owner);
        if (!server) throw notFound('Server');
        const before = completeSettings(server, await findStoredSettings(tx, owner));
        requireCodeForChanges(before);
        requireAutoRepair(account, before, body);
        const decision = await changeSettings(tx, { queue }, server, { actor, asked: body });
        const { settings, pending, changed } = decision;
        const { antiNukeEnabled, antiRaidEnabled } = settings;
        const isSwitched = changed.some(({ field }) => field.endsWith('Enabled'));
        if (isSwitched) await updateServer(tx, owner, { antiNukeEnabled, antiRaidEnabled });
        await recordAudits(tx, auditedChanges(owned, actor, decision));
        return { ...toAnswer(settings, pending), cannotStop };
      };
    },
  },

  async listIncidents(db, { server: { id: serverId, accountId }, query }) {
    const { rows, total } = await listIncidents(db, { accountId, serverId }, query);
    return { rows: await describeIncidents(db, rows), total };
  },

  async getIncident(db, { account: { accountId }, params }) {
    const incident = await findIncident(db, { accountId, incidentId: params.id });
    if (!incident) throw notFound('Incident');
    return describeOne(db, incident);
  },

  async planIncidentRepair(db, { account: { accountId }, params }) {
    return planRepair(db, preview, { accountId, incidentId: params.id });
  },

  async repairIncident(tx, { account: { accountId }, actor, params }) {
    const owner = { accountId, incidentId: params.id };
    const restore = await repairIncident(tx, queue, owner, actor);
    // Whoever repairs it does not take it for honest work.
    await takeBack(tx, owner, actor);
    return describeRestore(restore);
  },

  async returnRoles(tx, { account: { accountId }, actor, params }) {
    const owner = { accountId, incidentId: params.id };
    return describeOne(tx, await decide(tx, { queue }, owner, { actor, action: 'return-roles' }));
  },

  async dismissIncident(tx, { account: { accountId }, actor, params }) {
    const owner = { accountId, incidentId: params.id };
    return describeOne(tx, await decide(tx, { queue }, owner, { actor, action: 'dismiss' }));
  },

  async takeBackDecision(tx, { account: { accountId }, actor, params }) {
    const kept = await takeBack(tx, { accountId, incidentId: params.id }, actor);
    if (!kept) throw conflict('Nothing waits that could be taken back');
    return describeOne(tx, kept);
  },
});

type StoredServer = NonNullable<Awaited<ReturnType<typeof findServer>>>;

const knownOf = async (db: Queryable, server: StoredServer) => {
  const { accountId, customBotId: botId, platformGuildId: guildId } = server;
  const intents = await findIntents(db, { botId, accountId });
  const { isConnected, lastGoodBackupId } = server;
  return {
    accountId,
    botId,
    guildId,
    isConnected,
    lastGoodBackupId,
    intents,
  };
};

const toAnswer = (settings: Settings, pending: PendingWeakening[]) => ({
  ...settings,
  pending: pending.map((waiting) => ({ ...waiting, at: new Date(waiting.at) })),
});

/** What is on already may stay on after a downgrade. */
const requireAutoRepair = (
  { plan, limits }: Account,
  before: Settings,
  { autoRepair }: { autoRepair?: boolean | undefined },
): void => {
  if (!autoRepair || before.autoRepair || limits.hasAutoRepair) return;
  throw forbidden(`The ${plan} plan does not include automatic repairs`);
};

const describeOne = async (db: Queryable, row: IncidentRow) => {
  const [incident] = await describeIncidents(db, [row]);
  if (!incident) throw notFound('Incident');
  return incident;
};
