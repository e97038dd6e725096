import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { freshDatabase } from '../../harness/database.ts';
import { readExposition, readExpression } from '../../harness/metrics-in-use.ts';
import {
  makeFolder,
  request,
  startService,
  stopServices,
  testWith,
} from '../../harness/running-service.ts';

const repository = join(import.meta.dir, '../../../../..');
const read = (path: string) => readFile(join(repository, path), 'utf8');

const rulesShape = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.object({
            summary: z.string().min(10),
            action: z.string().min(10),
            runbook_url: z.url(),
          }),
        }),
      ),
    }),
  ),
});
const dashboardShape = z.object({
  uid: z.string(),
  title: z.string(),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

const readAlerts = async () =>
  rulesShape
    .parse(Bun.YAML.parse(await read('deploy/prometheus/alerts.yaml')))
    .groups.flatMap(({ rules }) => rules);

const readDashboards = async () => {
  const names = (await readdir(join(repository, 'deploy/grafana'))).filter((name) =>
    name.endsWith('.json'),
  );
  const texts = await Promise.all(names.map((name) => read(`deploy/grafana/${name}`)));
  return texts.map((text) => dashboardShape.parse(JSON.parse(text)));
};

/** Name → labels, as docs/operations.md has them. */
const readDocumented = async (): Promise<Map<string, string[]>> => {
  const rows = (await read('docs/operations.md')).matchAll(/^\| `(holdfast_\w+)` \|([^|]*)\|/gm);
  const labelsIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
  return new Map([...rows].map(([, name = '', cell = '']) => [name, labelsIn(cell).toSorted()]));
};

let served: ReturnType<typeof readExposition>;

beforeAll(async () => {
  // Every part that has metrics of its own; a Redis and a collector that are not there and a
  // standby that is none show their metrics, too.
  const database = await freshDatabase();
  const { url } = await startService({
    ...{ DATABASE_URL: database, REDIS_URL: 'redis://127.0.0.1:1', DATABASE_REPLICA_URL: database },
    ...{ SELF_BACKUP_TO: await makeFolder(), PROCESSES: '2', DB_POOL: '12' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  });
  await request(url, 'GET', '/api/v1/account');
  served = readExposition((await request(url, 'GET', '/metrics')).text);
});

afterAll(stopServices);

test('docs/operations.md lists the metrics that a running service shows, with their labels', async () => {
  const documented = await readDocumented();
  const ours = [...served.keys()].filter((name) => name.startsWith('holdfast_'));
  expect([...documented.keys()].toSorted()).toEqual(ours.toSorted());
  for (const name of ours) {
    const labels = served.get(name);
    if (labels) expect([name, labels]).toEqual([name, documented.get(name) ?? []]);
  }
  expect(ours.filter((name) => served.get(name)).length).toBeGreaterThan(12);
});

test('alerts and dashboards use metrics and labels that a running service has', async () => {
  const documented = await readDocumented();
  const dashboards = await readDashboards();
  const panels = dashboards.flatMap((dashboard) => dashboard.panels);
  const sources = [
    ...(await readAlerts()).map(({ alert, expr }) => ({ name: alert, expr })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
  ];
  const unknown = sources.flatMap(({ name, expr }) =>
    readExpression(expr).flatMap(({ metric, labels }) => {
      if (!served.has(metric)) return [`${name}: ${metric}`];
      const known = documented.get(metric) ?? served.get(metric) ?? [];
      return labels
        .filter((label) => !known.includes(label))
        .map((label) => `${name}: ${metric}{${label}}`);
    }),
  );
  expect(unknown).toEqual([]);
  const used = new Set(
    sources.flatMap(({ expr }) => readExpression(expr).map((one) => one.metric)),
  );
  expect(used.size).toBeGreaterThan(20);
  for (const { title, panels: own } of dashboards) {
    expect([title, new Set(own.map(({ id }) => id)).size]).toEqual([title, own.length]);
  }
});

test('every alert links to a section of docs/operations.md that exists', async () => {
  const headings = (await read('docs/operations.md')).matchAll(/^#+ (.+)$/gm);
  const anchors = [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const { homepage } = JSON.parse(await read('package.json'));
  const page = `${homepage.replace(/#.*/, '')}/blob/main/docs/operations.md#`;
  for (const { alert, annotations } of await readAlerts()) {
    const [before, anchor = ''] = annotations.runbook_url.split('#');
    expect([alert, `${before}#`]).toEqual([alert, page]);
    expect([alert, anchors.includes(anchor) ? 'there' : anchor]).toEqual([alert, 'there']);
  }
});

testWith('promtool', Bun.which('promtool') !== null)(
  'Prometheus takes the configuration, and the alerts fire when they should and only then',
  async () => {
    for (const args of [
      ['check', 'config', 'prometheus.yaml'],
      ['check', 'rules', 'alerts.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      const cwd = join(repository, 'deploy/prometheus');
      const { exitCode, stdout, stderr } = Bun.spawnSync(['promtool', ...args], { cwd });
      expect({ args, exitCode, printed: `${stdout}${stderr}` }).toMatchObject({
        args,
        exitCode: 0,
      });
    }
  },
);
