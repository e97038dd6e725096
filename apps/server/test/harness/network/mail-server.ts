import { SMTPServer } from 'smtp-server';

export type MailServer = {
  url: string;
  /** Every mail as it came over the wire. */
  mails: string[];
  /** To whom each was addressed, by the envelope. */
  recipients: string[];
  /** Refuses mails until told otherwise. */
  refuse(isRefusing: boolean): void;
  stop(): Promise<void>;
};

/** A real SMTP server on a free port of loopback. */
export const startMailServer = async (): Promise<MailServer> => {
  const mails: string[] = [];
  const recipients: string[] = [];
  let isRefusing = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _, done) {
      if (isRefusing) return done(new Error('Come back later'));
      recipients.push(address);
      done();
    },
    async onData(stream, _, done) {
      mails.push(await new Response(stream as unknown as ReadableStream).text());
      done();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    recipients,
    refuse: (refusing) => {
      isRefusing = refusing;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
