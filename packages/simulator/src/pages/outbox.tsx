/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { z } from 'zod';
import { withBody } from '../platform/control/guard.ts';
import type { PlatformApp } from '../platform/platform.ts';
import { DescriptionList, sendPage } from './page.tsx';

const mailSchema = z.object({
  from: z.string().min(1).max(500),
  to: z.string().min(1).max(500),
  subject: z.string().max(1000),
  text: z.string().max(100_000),
});

type Mail = z.output<typeof mailSchema> & { id: number; at: string };

const MAX_MAILS = 1000;

/** The mail that the service sends in local mode is shown here. */
export const mountOutbox = (app: PlatformApp): void => {
  let mails: Mail[] = [];
  let lastId = 0;

  app.post(
    '/__sim/outbox',
    withBody(mailSchema, (body, c) => {
      lastId += 1;
      const mail = { id: lastId, at: new Date().toISOString(), ...body };
      mails = [mail, ...mails].slice(0, MAX_MAILS);
      return c.json(mail, 201);
    }),
  );
  app.get('/__sim/outbox', (c) => (acceptsHtml(c) ? showMails(c, mails) : c.json(mails)));
  app.get('/__sim/outbox/:id', (c) => {
    const mail = mails.find(({ id }) => String(id) === c.req.param('id'));
    if (!mail) return c.json({ message: 'No such mail.' }, 404);
    return acceptsHtml(c) ? showMail(c, mail) : c.json(mail);
  });
  app.delete('/__sim/outbox', (c) => {
    mails = [];
    return c.body(null, 204);
  });
};

const acceptsHtml = (c: Context): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/html'],
    default: 'application/json',
  }) === 'text/html';

const showMails = (c: Context, mails: Mail[]) =>
  sendPage(
    c,
    { title: 'Outbox', isWide: true },
    <>
      <h1>Outbox</h1>
      {mails.length === 0 && (
        <p class="quiet">No mail yet. What the service sends is shown here.</p>
      )}
      <ul class="mails">
        {mails.map(({ id, at, to, subject }) => (
          <li>
            <a href={`/__sim/outbox/${id}`}>{subject || 'No subject'}</a>
            <br />
            <span class="quiet">
              To {to}, {formatTime(at)}
            </span>
          </li>
        ))}
      </ul>
    </>,
  );

const showMail = (c: Context, { at, from, to, subject, text }: Mail) =>
  sendPage(
    c,
    { title: subject || 'No subject', isWide: true },
    <>
      <p>
        <a href="/__sim/outbox">Outbox</a>
      </p>
      <h1>{subject || 'No subject'}</h1>
      <DescriptionList
        rows={[
          ['From', from],
          ['To', to],
          ['Sent', formatTime(at)],
        ]}
      />
      <pre>{text}</pre>
    </>,
  );

const formatTime = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;
