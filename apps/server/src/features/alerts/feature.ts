import { jobEntry } from '../../queue/job.ts';
import {
  deliverAlerts,
  deliverAlertsJob,
  expireAlerts,
  expireAlertsJob,
  postAlert,
  postAlertJob,
  sendAlertMail,
  sendAlertMailJob,
} from './jobs.ts';
import { purgeAlertsOfServer } from './queries/alerts.ts';
import { alertDashboardHandlers, alertHandlers } from './routes.ts';

/**
 * Alerts: what happened that an account's owner should know.
 *
 * - `deliver/raise-alert.ts`: every feature above raises alerts in its own transactions.
 * - `deliver/claim-message.ts`: at most one mail, and one message in the log channel, for a kind and
 *   server in ten minutes. `deliver/send-message.ts` sends it.
 * - `text/`: the sentences, made of the stored facts when they are read or sent.
 * - `routes.ts`: the list, what was read, and the settings of an account.
 * - `jobs.ts`: delivers, and deletes alerts after 90 days.
 */
export const alerts = {
  handlers: alertHandlers,
  dashboardHandlers: alertDashboardHandlers,
  jobs: [
    jobEntry(deliverAlerts, deliverAlertsJob),
    jobEntry(sendAlertMail, sendAlertMailJob),
    jobEntry(postAlert, postAlertJob),
    jobEntry(expireAlerts, expireAlertsJob),
  ],
  purgeServer: [purgeAlertsOfServer],
};
