import { afterEach, expect, test } from 'bun:test';
import { createServer, type Server } from 'node:net';
import { eventually } from '../../test/harness/eventually.ts';
import { startMailServer } from '../../test/harness/network/mail-server.ts';
import { Secret } from '../kernel/secret.ts';
import { createSmtpMailer } from './mailer.ts';

let stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});

const from = 'Holdfast <alerts@holdfast.example>';
const mail = {
  id: 'a1',
  to: 'ada@example.com',
  subject: 'Harbour is damaged',
  text: 'Restore it.',
};

const portOf = (server: Server): number => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('It listens to no port');
  return address.port;
};

/** It greets, and goes on greeting: one byte after the other, without an end. */
const startDripping = async () => {
  let open = 0;
  const server = createServer((socket) => {
    open++;
    const dripping = setInterval(() => socket.write('2'), 10);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(dripping);
      open--;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return { url: `smtp://127.0.0.1:${portOf(server)}`, open: () => open };
};

test('a mail server that never ends its answer is given up, and its connection is closed', async () => {
  const { url, open } = await startDripping();
  const mailer = createSmtpMailer({ url: new Secret(url), from, exchangeMs: 150 });
  await expect(mailer.send(mail)).rejects.toThrow('The mail server took too long');
  await eventually(5000, () => expect(open()).toBe(0));
});

test('a mail names nobody beside the address that it goes to', async () => {
  const server = await startMailServer();
  stops.push(server.stop);
  await createSmtpMailer({ url: new Secret(server.url), from }).send(mail);
  const [header = ''] = server.mails.join().split('\r\n\r\n');
  expect(header.split('\r\n').filter((line) => /^(To|Cc|Subject):/i.test(line))).toEqual([
    'To: ada@example.com',
    'Subject: Harbour is damaged',
  ]);
});

test('every mail is sent over a connection of its own', async () => {
  const server = await startMailServer();
  stops.push(server.stop);
  const mailer = createSmtpMailer({ url: new Secret(server.url), from });
  await Promise.all([mailer.send(mail), mailer.send({ ...mail, id: 'a2' })]);
  expect(server.recipients).toEqual(['ada@example.com', 'ada@example.com']);
});
