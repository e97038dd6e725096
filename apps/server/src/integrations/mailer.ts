/**
 * Integrations: what Holdfast uses beside the platform. Mail (this file), `blobs/` (encrypted files on
 * disk or S3) and `ip-data/` (country, network and VPN of an IP address).
 */
import { Socket } from 'node:net';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { inSpan } from '../kernel/tracing.ts';

export type Mail = {
  /** The same for every attempt to send it, so that a receiver can recognize a duplicate. */
  id: string;
  /** The address alone: a name beside it would be one that somebody chose. */
  to: string;
  subject: string;
  text: string;
};

export type Mailer = {
  /** Throws where the mail was not accepted; it may then be sent again. */
  send(mail: Mail): Promise<void>;
};

type SmtpSettings = {
  url: Secret;
  from: string;
  /** How long the whole exchange about one mail may take; replaced in tests. */
  exchangeMs?: number;
};

/** Of a single step, in which the server says nothing at all. */
const timeoutMs = 15_000;
const defaultExchangeMs = 60_000;

/** Each mail has a connection of its own, which is cut when its time is over. */
const createSmtpTransport = async (url: Secret, socket: Socket) => {
  // Large, and not needed before the first mail.
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url: url.reveal(),
    socket,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A mail has only the text we write; nodemailer must not read files or URLs into it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
};

export const createSmtpMailer = ({
  url,
  from,
  exchangeMs = defaultExchangeMs,
}: SmtpSettings): Mailer => {
  const domain = from.match(/@([\w.-]+)/)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text }) {
      const socket = new Socket();
      const transport = await createSmtpTransport(url, socket);
      // A server that sends a byte now and then is never silent.
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        reject(new Error('The mail server took too long'));
        socket.destroy();
      }, exchangeMs);
      const sent = transport.sendMail({
        from,
        to: { name: '', address: headerText(to) },
        subject: headerText(subject),
        text,
        messageId: `<${id}@${domain}>`,
      });
      try {
        await Promise.race([sent, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
};

/** Connects, greets and logs in without sending anything; throws where the server refuses. */
export const checkSmtp = async (url: Secret): Promise<void> => {
  const socket = new Socket();
  const transport = await createSmtpTransport(url, socket);
  try {
    await transport.verify();
  } finally {
    socket.destroy();
  }
};

/** Without a mail server: logs the subject of each mail, but not its recipient. */
export const createLogMailer = (log: Log): Mailer => ({
  async send({ id, subject }) {
    log.warn({ mailId: id, subject }, 'a mail was not sent: SMTP_URL is not set');
  },
});

/** The same mailer; to send is a step of the trace that it happens in. */
export const traceMailer = (mailer: Mailer): Mailer => ({
  send: (mail) =>
    inSpan(
      () => ({ name: 'send mail', kind: 'client', attributes: {} }),
      () => mailer.send(mail),
    ),
});

/** A line break in a name, which users choose, would start a header of its own. */
export const headerText = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
