/**
 * Integrations: what Holdfast uses beside the platform. Mail (this file), `blobs/` (encrypted files on
 * disk or S3) and `ip-data/` (country, network and VPN of an IP address).
 */
import { createTransport } from 'nodemailer';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';

export type Mail = {
  /** The same for every attempt to send it, so that a receiver can recognize a duplicate. */
  id: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
};

export type Mailer = {
  /** Throws where the mail was not accepted; it may then be sent again. */
  send(mail: Mail): Promise<void>;
};

type SmtpSettings = { url: Secret; from: string };

const timeoutMs = 15_000;

export const createSmtpMailer = ({ url, from }: SmtpSettings): Mailer => {
  const transport = createTransport({
    url: url.reveal(),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A mail has only the text we write; nodemailer must not read files or URLs into it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.match(/@([\w.-]+)/)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text }) {
      await transport.sendMail({
        from,
        to: { name: headerText(to.name), address: headerText(to.address) },
        subject: headerText(subject),
        text,
        messageId: `<${id}@${domain}>`,
      });
    },
  };
};

/** Without a mail server: logs the subject of each mail, but not its recipient. */
export const createLogMailer = (log: Log): Mailer => ({
  async send({ id, subject }) {
    log.warn({ mailId: id, subject }, 'a mail was not sent: SMTP_URL is not set');
  },
});

/** A line break in a name, which users choose, would start a header of its own. */
export const headerText = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
