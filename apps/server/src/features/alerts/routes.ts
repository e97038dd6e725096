import type {
  AlertKind,
  AlertSettings,
  alertEndpoints,
  DashboardEndpoints,
} from '@holdfast/contract';
import type { Queryable } from '../../db/connect.ts';
import { markUnchanged } from '../../http/audited.ts';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { changedFields } from '../audit/rules.ts';
import { raiseAlert } from './deliver/raise-alert.ts';
import { countUnreadAlerts, findListedAlert, listAlerts, markRead } from './queries/alerts.ts';
import { findSettings, lockSettings, mergeSettings } from './queries/settings.ts';
import { describeAlert } from './text/describe-alert.ts';
import { type NameFinders, readNames } from './text/read-names.ts';

type Dependencies = NameFinders & {
  queue: Pick<Queue, 'enqueue'>;
  /** The name of the key that makes a change; another feature owns keys. */
  findKeyName(db: Queryable, accountId: string, keyId: string | null): Promise<string | undefined>;
};

export const alertHandlers = ({
  findKeyName,
  queue,
  ...finders
}: Dependencies): Handlers<typeof alertEndpoints> => ({
  async listAlerts(db, { account: { accountId }, query }) {
    const { rows, total } = await listAlerts(db, accountId, query);
    const names = await readNames(finders, db, accountId, rows);
    return { rows: rows.map((alert) => ({ ...alert, ...describeAlert(alert, names) })), total };
  },

  async readAlerts(tx, { account: { accountId }, body: { upTo } }) {
    const alert = await findListedAlert(tx, { accountId, alertId: upTo });
    if (!alert) throw notFound('Alert');
    return { read: await markRead(tx, accountId, alert) };
  },

  getAlertSettings: (db, { account }) => findSettings(db, account.accountId),

  async updateAlertSettings(tx, { account: { accountId }, actor, body, requireCodeForChanges }) {
    const before = await lockSettings(tx, accountId);
    requireCodeForChanges(before);
    const after: AlertSettings = { ...before, ...body };
    const changes = changedFields(before, after);
    if (Object.keys(changes).length === 0) {
      markUnchanged(tx);
      return before;
    }
    // By the settings that were in force until now.
    if (isSilenced(before.INCIDENT, after.INCIDENT)) {
      const keyName = actor.type === 'KEY' ? await findKeyName(tx, accountId, actor.id) : null;
      const facts = { unprotectedBy: 'ALERTS_SILENCED' as const, name: null };
      await raiseAlert(
        tx,
        { queue },
        {
          accountId,
          serverId: null,
          kind: 'INCIDENT',
          facts: { ...facts, keyName: keyName ?? null },
        },
      );
    }
    await mergeSettings(tx, accountId, body);
    await recordAudit(tx, {
      accountId,
      actor,
      action: 'alertSettings.update',
      subject: { type: 'alertSettings', id: accountId },
      changes,
    });
    return after;
  },
});

type Ways = AlertSettings[AlertKind];

const isSilenced = (before: Ways, after: Ways): boolean =>
  (before.email && !after.email) ||
  (before.channel && !after.channel) ||
  (before.dashboard && !after.dashboard);

export const alertDashboardHandlers: Handlers<Pick<DashboardEndpoints, 'countUnreadAlerts'>> = {
  async countUnreadAlerts(db, { account }) {
    return { unread: await countUnreadAlerts(db, account.accountId) };
  },
};
