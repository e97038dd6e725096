import type { AlertSettings, alertEndpoints, DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { notFound } from '../../kernel/errors.ts';
import { recordAudit } from '../audit/queries.ts';
import { changedFields } from '../audit/rules.ts';
import type { FindServerNames } from './deliver/send-message.ts';
import { countUnreadAlerts, findListedAlert, listAlerts, markRead } from './queries/alerts.ts';
import { findSettings, lockSettings, mergeSettings } from './queries/settings.ts';
import { describeAlert } from './text/describe-alert.ts';

type Dependencies = { findServerNames: FindServerNames };

export const alertHandlers = ({
  findServerNames,
}: Dependencies): Handlers<typeof alertEndpoints> => ({
  async listAlerts(db, { account: { accountId }, query }) {
    const { rows, total } = await listAlerts(db, accountId, query);
    const serverIds = new Set(rows.flatMap(({ serverId }) => serverId ?? []));
    const names = await findServerNames(db, accountId, [...serverIds]);
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
    if (Object.keys(changes).length === 0) return before;
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

export const alertDashboardHandlers: Handlers<Pick<DashboardEndpoints, 'countUnreadAlerts'>> = {
  async countUnreadAlerts(db, { account }) {
    return { unread: await countUnreadAlerts(db, account.accountId) };
  },
};
