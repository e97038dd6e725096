// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventsPath } from '@holdfast/contract';
import { createServer } from '../../harness/bots-and-servers.ts';
import { readEvents } from '../../harness/dashboard/event-reader.ts';
import { signInByRow } from '../../harness/dashboard/session.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { createKey, startService, stopServices, tenantAt } from '../../harness/running-service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

let databaseUrl: string;
let api: ServiceProcess;
let other: ServiceProcess;
beforeAll(async () => {
  databaseUrl = await freshDatabase();
  const env = { DATABASE_URL: databaseUrl, DRAIN_SECONDS: '6' };
  api = await startService({ ...env, ROLE: 'api' });
  other = await startService({ ...env, ROLE: 'all' });
});
afterAll(stopServices);

const newOwner = async () => {
  const created = await createKey(databaseUrl);
  const cookie = await signInByRow(databaseUrl, created);
  return { created, cookie };
};

/** A window whose program hangs: it asks for a stream and reads nothing. */
const openWithoutReading = async (url: string, cookie: string): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${eventsPath} HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookie}\r\n\r\n`);
  return socket;
};

const open = (url: string, cookie: string) =>
  eventually(10_000, async () => {
    const reader = await readEvents(url, cookie);
    expect(reader.status).toBe(200);
    return reader;
  });

test('a page is told of what a worker in another process does', async () => {
  const { created, cookie } = await newOwner();
  const owner = tenantAt(other.url, created);
  const serverId = await createServer(owner);
  const reader = await open(api.url, cookie);
  expect((await owner.call('POST', `/api/v1/servers/${serverId}/backups`)).status).toBe(202);
  // Its beginning and its end are announced for the server, its end in the audit log too.
  await eventually(30_000, () => {
    expect(reader.topics).toContain(`backups:${serverId}`);
    expect(reader.topics).toContain('audit');
  });
});

test('a process that stops hands its streams over before it closes its port', async () => {
  const { cookie } = await newOwner();
  const reader = await open(api.url, cookie);
  const unread = await openWithoutReading(api.url, cookie);
  api.kill('SIGTERM');
  await eventually(10_000, () => expect(reader.isEnded()).toBe(true));
  expect((await readEvents(api.url, cookie)).status).toBe(503);
  expect((await open(other.url, cookie)).isEnded()).toBe(false);
  expect(await api.exited).toBe(0);
  unread.destroy();
});
