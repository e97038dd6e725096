import type { Log } from '../../kernel/log.ts';
import type { Mailer } from './mailer.ts';

/** Where no mail server is set: what would have been sent is told in the log, but not to whom. */
export const createNoMailer = (log: Log): Mailer => ({
  async send({ id, subject }) {
    log.warn({ mailId: id, subject }, 'a mail was not sent: SMTP_URL is not set');
  },
});
