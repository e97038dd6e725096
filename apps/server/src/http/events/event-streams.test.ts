import { afterEach, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { eventsPath } from '@holdfast/contract';
import { Registry } from 'prom-client';
import { readEvents } from '../../../test/harness/dashboard/event-reader.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { createLog } from '../../kernel/log.ts';
import { createEventStreams, type StreamDependencies } from './event-streams.ts';

let stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  stops = [];
});

/** Streams without a service around them: whoever asks is the account that the path names. */
const serveStreams = (changes: Partial<StreamDependencies> = {}) => {
  const registry = new Registry();
  const streams = createEventStreams({
    ...{ registry, log: createLog({ write: () => undefined }) },
    findSignedIn: async (owners) => new Set(owners.map(({ sessionId }) => sessionId)),
    times: { heartbeatMs: 200, eventEveryMs: 0, checkMs: 20 },
    ...changes,
  });
  const fetch = ({ url }: Request) => {
    const accountId = new URL(url).pathname;
    const body = streams.open({ sessionId: accountId, accountId, network: '192.0.2.1' });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  // No time-out of the runtime: what ends a stream is ours.
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch });
  stops.push(() => server.stop(true), streams.stop);
  const open = async () => {
    const metric = await registry.getSingleMetricAsString('holdfast_event_streams');
    return Number(metric.split(' ').at(-1));
  };
  return { streams, open, url: `http://127.0.0.1:${server.port}`, port: Number(server.port) };
};

/** A client that asks for a stream and then reads nothing. */
const openWithoutReading = (port: number, path: string): void => {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  stops.push(() => socket.destroy());
};

test('a client that does not read is given up, and others go on', async () => {
  const { streams, open, url, port } = serveStreams();
  const reader = await readEvents(url, '');
  openWithoutReading(port, '/silent');
  await eventually(10_000, async () => expect(await open()).toBe(2));
  // Longer than real ones, so that what the kernel takes in the client's place is full soon.
  const topic = `backups:${'x'.repeat(100_000)}` as const;
  await eventually(20_000, async () => {
    streams.tell([{ accountId: '/silent', topic }]);
    expect(await open()).toBe(1);
  });
  expect(reader.isEnded()).toBe(false);
  streams.tell([{ accountId: eventsPath, topic: 'audit' }]);
  await eventually(10_000, () => expect(reader.topics).toEqual(['audit']));
});

test('a client that goes away gives its place back', async () => {
  const { open, url } = serveStreams();
  const reader = await readEvents(url, '');
  expect(await open()).toBe(1);
  reader.close();
  await eventually(10_000, async () => expect(await open()).toBe(0));
  await fetch(url, { method: 'HEAD' });
  await eventually(10_000, async () => expect(await open()).toBe(0));
});

test('streams end where it cannot be checked that somebody is still signed in', async () => {
  const { url } = serveStreams({
    findSignedIn: async () => {
      throw new Error('The database does not answer');
    },
  });
  const reader = await readEvents(url, '');
  await eventually(10_000, () => expect(reader.isEnded()).toBe(true));
});

test('one address holds no more than 200 streams, by however many accounts, and others hold theirs', () => {
  const { streams } = serveStreams();
  const openBy = (account: number, network: string) => {
    const accountId = `account ${account}`;
    return streams.open({ sessionId: accountId, accountId, network });
  };
  const opened = Array.from({ length: 200 }, (_, account) => openBy(account, '192.0.2.1'));
  expect(() => openBy(200, '192.0.2.1')).toThrow();
  openBy(201, '192.0.2.2');
  opened[0]?.cancel();
  openBy(202, '192.0.2.1');
});

test('a process that stops opens no more streams', async () => {
  const { streams, url } = serveStreams();
  const reader = await readEvents(url, '');
  streams.stop();
  await eventually(10_000, () => expect(reader.isEnded()).toBe(true));
  expect(() => streams.open({ sessionId: 's', accountId: 'a', network: '192.0.2.1' })).toThrow(
    'This process is stopping',
  );
});
