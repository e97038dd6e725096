import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newBotBody } from '../../harness/bots-and-servers.ts';
import { expectBelow } from '../../harness/bounds.ts';
import { freshDatabase } from '../../harness/database.ts';
import {
  createKey,
  makeFolder,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
  timed,
} from '../../harness/running-service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';
import { type Collector, startCollector } from '../../harness/tracing/collector.ts';

let database: string;
let plansFile: string;
let collector: Collector;

beforeAll(async () => {
  database = await freshDatabase();
  plansFile = await makePlansFile();
  collector = startCollector();
});
afterAll(async () => {
  await stopServices();
  collector.stop();
});

const tellLoaded = join(import.meta.dir, '../../harness/tracing/tell-loaded.ts');
const librariesLoaded = ({ output }: ServiceProcess) => output().match(/^loaded .*$/gm) ?? [];

/** A service that says which files of the tracing libraries it loads, and an account that uses it. */
const start = async (settings: Record<string, string>) => {
  const service = await startService({
    ...{ DATABASE_URL: database, PLANS_FILE: plansFile, ...settings },
    BUN_OPTIONS: `--preload ${tellLoaded}`,
  });
  return { service, tenant: tenantAt(service.url, await createKey(database)) };
};

test('without a collector none of the libraries for traces is loaded', async () => {
  const { service, tenant } = await start({});
  expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
  expect((await tenant.call('POST', '/api/v1/bots', { body: newBotBody() })).status).toBe(201);
  expect((await request(service.url, 'GET', '/metrics')).text).not.toContain('holdfast_trace');
  expect(librariesLoaded(service)).toEqual([]);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
});

test('two processes send as two instances what they have when they are told to stop', async () => {
  const headers = join(await makeFolder(), 'headers');
  await writeFile(headers, 'authorization=Bearer%20canary-collector,x-tenant=ours\n');
  const { service, tenant } = await start({
    PROCESSES: '2',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: headers,
    OTEL_SERVICE_NAME: 'holdfast-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests%20here,service.instance.id=same',
    // Nothing is sent before the end.
    OTEL_BSP_SCHEDULE_DELAY: '60000',
  });
  expect(librariesLoaded(service).length).toBeGreaterThan(10);
  const ids = new Set<string>();
  for (let sent = 0; sent < 40; sent++) {
    ids.add((await tenant.call('GET', '/api/v1/account')).headers.get('x-request-id') ?? '');
  }
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);

  const requests = collector.spans.filter(({ attributes }) =>
    ids.has(String(attributes['holdfast.request.id'])),
  );
  expect(requests).toHaveLength(40);
  const instances = new Set(requests.map(({ resource }) => resource['service.instance.id']));
  expect(instances.size).toBe(2);
  expect(instances).not.toContain('same');
  expect(requests[0]?.resource).toMatchObject({
    'service.name': 'holdfast-test',
    'deployment.environment.name': 'tests here',
  });
  expect(collector.headers[0]?.get('authorization')).toBe('Bearer canary-collector');
  expect(collector.headers[0]?.get('x-tenant')).toBe('ours');
  expect(service.output()).not.toContain('canary-collector');
});

test('a collector that hangs costs spans, which are counted, and neither answers nor the end', async () => {
  collector.become('hangs');
  const { service, tenant } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_BSP_MAX_QUEUE_SIZE: '50',
  });
  const { tookMs } = await timed(async () => {
    for (let sent = 0; sent < 100; sent++) {
      expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
    }
  });
  expectBelow(tookMs, 10_000);
  const { text } = await request(service.url, 'GET', '/metrics');
  const dropped = /holdfast_trace_spans_dropped_total\{reason="queue_full"\} (\d+)/.exec(text)?.[1];
  expect(Number(dropped)).toBeGreaterThan(100);
  service.kill('SIGTERM');
  const stopped = await timed(() => service.exited);
  expect(stopped.result).toBe(0);
  // Three seconds for the collector, and what everything else takes.
  expectBelow(stopped.tookMs, 8000);
});
