import { createTransport } from 'nodemailer';
import type { Secret } from '../../kernel/secret.ts';
import { asHeader, type Mailer } from './mailer.ts';

type SmtpSettings = { url: Secret; from: string };

const patienceMs = 15_000;

export const createSmtpMailer = ({ url, from }: SmtpSettings): Mailer => {
  const transport = createTransport({
    url: url.reveal(),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    // A mail holds what we write into it, and fetches nothing.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.match(/@([\w.-]+)/)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text }) {
      await transport.sendMail({
        from,
        to: { name: asHeader(to.name), address: asHeader(to.address) },
        subject: asHeader(subject),
        text,
        messageId: `<${id}@${domain}>`,
      });
    },
  };
};
