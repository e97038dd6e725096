import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { createBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { newBotBody } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  type OwnTenant,
  type Reply,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { sharedSimulator } from '../../../test/harness/simulator/start.ts';
import { type Collector, startCollector } from '../../../test/harness/tracing/collector.ts';
import type { ReceivedSpan } from '../../../test/harness/tracing/otlp.ts';
import { traceTo } from '../../../test/harness/tracing/trace-to.ts';
import { currentSpan, inRootSpan, inSpan, type Span } from '../../kernel/tracing.ts';

let collector: Collector;
let tracing: ReturnType<typeof traceTo>;
let service: TestService;
let tenant: OwnTenant;

beforeAll(async () => {
  collector = startCollector();
  tracing = traceTo(collector);
  service = await startTestService({ doesWork: true });
  tenant = await service.newTenant();
});
afterAll(async () => {
  await tracing.close();
  await service.stop();
  collector.stop();
});

const spanOf = ({ headers }: Reply) => collector.requestOf(headers.get('x-request-id'));
const namesOf = (spans: ReceivedSpan[]) => spans.map(({ name }) => name);

describe('a request', () => {
  test('is a span named after its route, with its statements below it', async () => {
    const root = await spanOf(await tenant.call('GET', '/api/v1/servers?limit=5'));
    expect(root).toMatchObject({ name: 'GET /api/v1/servers', kind: 'SERVER' });
    expect(root.parentSpanId).toBeUndefined();
    expect(root.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/api/v1/servers',
      'http.response.status_code': 200,
      'url.scheme': 'http',
    });
    expect(root.resource).toMatchObject({ 'service.name': 'holdfast' });
    const below = collector.childrenOf(root);
    expect(namesOf(below)).toContain('SELECT api_keys');
    const list = below.find(({ name }) => name === 'SELECT servers');
    expect(list).toMatchObject({ kind: 'CLIENT' });
    expect(list?.attributes).toMatchObject({
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'servers',
      'db.query.summary': 'SELECT servers',
    });
    expect(list?.attributes['db.query.text']).toContain('"servers"."account_id"');
  });

  test('that shares a statement with others has a step of its own for it', async () => {
    const tenants = await Promise.all(Array.from({ length: 5 }, () => service.newTenant()));
    const replies = await Promise.all(tenants.map((one) => one.call('GET', '/api/v1/account')));
    for (const reply of replies) {
      const names = namesOf(collector.childrenOf(await spanOf(reply)));
      expect(names.filter((name) => name === 'SELECT api_keys')).toHaveLength(1);
      expect(names.filter((name) => name === 'SELECT accounts')).toHaveLength(1);
    }
  });

  test('that changes something shows the call to the platform, then its whole transaction', async () => {
    const reply = await tenant.call('POST', '/api/v1/bots', { body: newBotBody() });
    const root = await spanOf(reply);
    const [call, begin, ...rest] = collector
      .childrenOf(root)
      .filter(({ name }) => !name.endsWith(' api_keys'));
    expect(call).toMatchObject({ name: 'GET /users/@me', kind: 'CLIENT' });
    expect(call?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'url.template': '/users/@me',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
    });
    expect(begin?.name).toBe('BEGIN');
    expect(namesOf(rest)).toEqual(expect.arrayContaining(['INSERT bots', 'INSERT audit_heads']));
    expect(rest.at(-1)?.name).toBe('COMMIT');
  });

  test('for something that is not there is named by its method alone', async () => {
    const root = await spanOf(await service.call('GET', '/no-such-page/at-all'));
    expect(root).toMatchObject({ name: 'GET', status: {} });
    expect(root.attributes['http.route']).toBeUndefined();
  });

  test('for health or metrics is not traced', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await service.call('GET', path);
    await spanOf(await tenant.call('GET', '/api/v1/account'));
    expect(namesOf(collector.spans).filter((name) => /healthz|readyz|metrics/.test(name))).toEqual(
      [],
    );
  });

  test('that fails is marked by codes alone, and its log line names the trace', async () => {
    await service.db.execute(sql`alter table blacklist rename to blacklist_away`);
    const reply = await tenant.call('GET', '/api/v1/blacklist');
    await service.db.execute(sql`alter table blacklist_away rename to blacklist`);
    expect(reply.status).toBe(500);
    const root = await spanOf(reply);
    expect(root).toMatchObject({ status: { code: 'ERROR' } });
    expect(root.status.message ?? '').toBe('');
    expect(root.attributes).toMatchObject({
      'http.route': '/api/v1/blacklist',
      'error.type': '500',
    });
    const failed = collector.childrenOf(root).find(({ name }) => name === 'SELECT blacklist');
    expect(failed?.attributes['error.type']).toBe('42P01');
    const line = service.logLines.find((one) => one.includes('request failed'));
    const { traceId: trace_id, spanId: span_id } = root;
    expect(JSON.parse(line ?? '{}')).toMatchObject({ trace_id, span_id });
  });
});

test('a job is a trace of its own, which the request that queued it links to', async () => {
  const fixture = createBackupFixture(service, await sharedSimulator());
  const server = await fixture.newServer({});
  const path = `/api/v1/servers/${server.serverId}/backups`;
  const reply = await server.tenant.call('POST', path, { body: {} });
  await fixture.ended(server, reply.body.data.id);
  const sent = await collector.find('send backups.run', (await spanOf(reply)).traceId);
  expect(sent.kind).toBe('PRODUCER');
  const job = await collector.find('process backups.run', sent.links[0]?.traceId);
  expect(sent.links).toEqual([{ traceId: job.traceId, spanId: job.spanId }]);
  expect(job).toMatchObject({ kind: 'CONSUMER' });
  expect(job.attributes).toMatchObject({
    'messaging.destination.name': 'backups.run',
    'messaging.message.id': String(sent.attributes['messaging.message.id']),
    'holdfast.job.attempt': 1,
  });
  expect(job.attributes['holdfast.job.due_ms']).toBeNumber();
  const below = namesOf(collector.childrenOf(job));
  expect(below).toEqual(expect.arrayContaining(['GET /guilds/:id/channels', 'UPDATE backups']));
});

describe("a caller's traceparent", () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

  test('gives the trace its id and the span its parent', async () => {
    const traceparent = `00-${traceId}-00f067aa0ba902b7-00`;
    const reply = await tenant.call('GET', '/api/v1/account', { headers: { traceparent } });
    const root = await spanOf(reply);
    expect(root).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' });
    expect(reply.headers.has('traceparent')).toBe(false);
  });

  test.each([
    ['a word', 'garbage'],
    ['without a trace', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['without a span', `00-${traceId}-0000000000000000-01`],
    ['in capitals', `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`],
    ['of a version that cannot be', `ff-${traceId}-00f067aa0ba902b7-01`],
    ['longer than it may be', `00-${traceId}-00f067aa0ba902b7-01-more`],
    ['there twice', `00-${traceId}-00f067aa0ba902b7-01, 00-${traceId}-00f067aa0ba902b7-01`],
    ['very long', 'x'.repeat(10_000)],
  ])('that is %s is as if it was not sent', async (_, traceparent) => {
    const reply = await tenant.call('GET', '/api/v1/account', { headers: { traceparent } });
    expect(reply.status).toBe(200);
    const root = await spanOf(reply);
    expect(root.parentSpanId).toBeUndefined();
    expect(root.traceId).not.toBe(traceId);
  });
});

test('no secret, address, name, id or query of a request is in what is exported', async () => {
  const canary = (what: string) => `canary-${what}-${crypto.randomUUID()}`;
  const [token, secret, search, mail] = ['token', 'secret', 'search', 'mail'].map(canary);
  const [agent, repeat, path, name] = ['agent', 'repeat', 'path', 'name'].map(canary);
  const [memberId, guildId] = [crypto.randomUUID(), '923456789012345678'];
  const bot = newBotBody({
    botToken: `${btoa('923456789012345679')}.${token}`,
    clientSecret: secret,
  });
  const headers = {
    'user-agent': String(agent),
    'idempotency-key': String(repeat),
    'x-forwarded-for': '203.0.113.77',
    tracestate: `vendor=${agent}`,
    cookie: `session=${secret}`,
  };
  const replies = [
    await tenant.call('POST', '/api/v1/bots', { body: { ...bot, name }, headers }),
    await tenant.call('GET', `/api/v1/servers/${memberId}/members?search=${search}`, { headers }),
    await tenant.call('GET', `/api/v1/servers/${guildId}/members/${memberId}`, { headers }),
    await service.call('GET', `/verify/${path}?code=${secret}&email=${mail}@example.org`, {
      headers,
    }),
    await service.call('GET', `/${path}`, { headers }),
    await service.call('PROPFIND', '/', { headers }),
  ];
  const roots = [];
  for (const reply of replies) roots.push(await spanOf(reply));
  expect(namesOf(roots).at(-1)).toStartWith('HTTP');
  const exported = collector.bytes();
  const canaries = {
    ...{ token, secret, search, mail, agent, repeat, path, name, memberId, guildId },
    ...{ key: tenant.key, accountId: tenant.accountId, address: '203.0.113.77' },
    platformId: tenant.platformId,
  };
  expect(Object.entries(canaries).filter(([, text]) => exported.includes(String(text)))).toEqual(
    [],
  );
});

describe('what the sampler takes', () => {
  test('is its share, whatever callers say', async () => {
    await tracing.close();
    const sampled = startCollector();
    const share = {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.3',
    };
    tracing = traceTo(sampled, share);
    const headers = { traceparent: '00-00000000000000000000000000000001-00f067aa0ba902b7-01' };
    const ask = () => tenant.call('GET', '/api/v1/account', { headers });
    await Promise.all(Array.from({ length: 300 }, ask));
    await tracing.close();
    const requests = sampled.spans.filter(({ kind }) => kind === 'SERVER');
    expect(requests.length).toBeWithin(50, 131);
    // What is left out leaves no parts of itself either.
    const known = new Set(requests.map(({ spanId }) => spanId));
    const parts = sampled.spans.filter(({ kind }) => kind === 'CLIENT');
    expect(parts.filter(({ parentSpanId = '' }) => !known.has(parentSpanId))).toEqual([]);
    sampled.stop();
    tracing = traceTo(collector);
  });
});

describe('what is dropped is counted', () => {
  const traceJob = (work: () => Promise<void>) =>
    inRootSpan(() => ({ name: 'process all', kind: 'consumer', attributes: {} }), work);
  const step = () =>
    inSpan(
      () => ({ name: 'step', kind: 'client', attributes: {} }),
      async () => undefined,
    );

  test('beyond the first thousand steps, and there are none after the end', async () => {
    let late: Span | undefined;
    await traceJob(async () => {
      late = currentSpan();
      for (let done = 0; done < 1005; done++) await step();
    });
    await collector.find('process all');
    expect(collector.spans.filter(({ name }) => name === 'step')).toHaveLength(1000);
    expect(await tracing.dropped('too_many_steps')).toBe(5);
    expect(late?.startChild({ name: 'late', kind: 'client', attributes: {} })).toBeUndefined();
  });

  test('where the collector refuses it, which is told once, as is its return', async () => {
    const before = await tracing.dropped('export_failed');
    collector.become('refuses');
    for (let sent = 0; sent < 3; sent++) {
      await traceJob(step);
      await Bun.sleep(100);
    }
    await eventually(10_000, async () => {
      expect(await tracing.dropped('export_failed')).toBe(before + 6);
    });
    collector.become('takes');
    await spanOf(await tenant.call('GET', '/api/v1/account'));
    await eventually(5000, () => expect(tracing.logLines).toHaveLength(2));
    const [lost, taken] = tracing.logLines.map((line) => JSON.parse(line));
    expect(lost).toMatchObject({ level: 'warn', msg: expect.stringContaining('are lost') });
    expect(taken).toMatchObject({ level: 'info', msg: 'the collector takes traces again' });
  });
});
