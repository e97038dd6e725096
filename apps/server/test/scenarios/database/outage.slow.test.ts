import { afterAll, beforeAll, expect, test } from 'bun:test';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binaries, findBinaries } from '../../../src/db/embedded/binaries.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { type RunAs, runProgram } from '../../../src/db/embedded/system.ts';
import { chooseRunAs } from '../../../src/db/embedded/user.ts';
import { signatureOf, signingSecret } from '../../harness/billing/events.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { expectBelow } from '../../harness/bounds.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  type CreatedKey,
  connectSql,
  createKey,
  makeFolder,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
  timed,
} from '../../harness/running-service.ts';
import type { Reply, Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

let folder: string;
let postgres: EmbeddedPostgres;
let runAs: RunAs | undefined;
let binaries: Binaries;
let service: ServiceProcess;
let created: CreatedKey;
let tenant: Tenant;

const clusterDir = () => join(folder, 'postgres');

beforeAll(async () => {
  folder = await makeFolder();
  postgres = await startEmbeddedPostgres(folder);
  runAs = await chooseRunAs(clusterDir());
  binaries = await findBinaries(folder, runAs);
  const env = {
    DATABASE_URL: postgres.url,
    PLANS_FILE: await makePlansFile(),
    BILLING_SIGNING_SECRET: signingSecret,
  };
  service = await startService(env);
  created = await createKey(postgres.url);
  tenant = tenantAt(service.url, created);
});

afterAll(async () => {
  await postgres?.stop();
  await stopServices();
});

/** The postmaster first, so that it makes no more children meanwhile. */
const postgresPids = async (): Promise<number[]> => {
  const pidFile = await readFile(join(clusterDir(), 'postmaster.pid'), 'utf8');
  const postmaster = Number(pidFile.split('\n')[0]);
  const listed = Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(postmaster)]);
  return [postmaster, ...listed.stdout.toString().trim().split(/\s+/).map(Number)];
};

const freezePostgres = async (): Promise<{ thaw(): void }> => {
  const [postmaster = 0] = await postgresPids();
  process.kill(postmaster, 'SIGSTOP');
  const pids = await postgresPids();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return {
    thaw() {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    },
  };
};

const stopPostgres = async (): Promise<void> => {
  const stop = ['stop', '-D', clusterDir(), '-m', 'immediate', '-w', '-s'];
  const { code, output } = await runProgram(binaries.pgCtl, stop, { runAs });
  if (code !== 0) throw new Error(output);
};

/** Of all ways to start it, `restart` is the one that keeps the port it had. */
const startPostgresAgain = async (): Promise<void> => {
  const logFile = join(folder, 'postgres.log');
  const log = await open(logFile, 'a');
  const restart = ['restart', '-D', clusterDir(), '-l', logFile, '-w', '-s'];
  const { code } = await runProgram(binaries.pgCtl, restart, { runAs, logDescriptor: log.fd });
  await log.close();
  if (code !== 0) throw new Error('PostgreSQL did not start again');
};

const statusOf = async (path: string): Promise<number> =>
  (await request(service.url, 'GET', path)).status;

const expectHonestFailure = async ({ status, text, headers }: Reply): Promise<void> => {
  // A change that was on its way may have been made; everything else is told to come back.
  if (status === 503) expect(headers.get('retry-after')).toBe('2');
  else expect({ status, text }).toEqual({ status: 500, text: '{"error":"Internal server error"}' });
  expect(headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  expect(headers.get('x-ratelimit-reset')).toMatch(/^\d+$/);
  expect(headers.get('cache-control')).toBe('no-store');
  const requestId = headers.get('x-request-id') ?? 'none';
  // What fails in an outage is told together, in lines that come ever more seldom.
  await eventually(20_000, () => {
    const logged = service.output().split('\n');
    expect(logged.filter((line) => line.includes(requestId))).toHaveLength(1);
  });
};

/** What people ask for meanwhile: reads and writes, with keys seen before and keys never seen. */
const askMeanwhile = () => {
  const stranger = tenantAt(service.url, { ...created, key: neverSeenKey });
  return Promise.all(
    [
      () => tenant.call('GET', '/api/v1/account'),
      () => tenant.call('GET', '/api/v1/servers'),
      () => tenant.call('POST', '/api/v1/keys', { body: { name: 'a', scopes: ['*'] } }),
      () => tenant.call('DELETE', `/api/v1/keys/${crypto.randomUUID()}`),
      () => stranger.call('GET', '/api/v1/account'),
    ].map(timed),
  );
};

/** Formed like a key, checksum and all, and given to nobody. */
const neverSeenKey = (() => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const body = 'a'.repeat(38);
  let rest = Bun.hash.crc32(body);
  let checksum = '';
  for (let digit = 0; digit < 6; digit++) {
    checksum = alphabet[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return `holdfast_${body}${checksum}`;
})();

/** The provider sends again what was answered with 5xx. */
const sendCardEvent = () => {
  const body = JSON.stringify({ id: `evt_${crypto.randomUUID()}`, type: 'invoice.paid', data: {} });
  const headers = { 'Billing-Signature': signatureOf(body), 'content-type': 'application/json' };
  return timed(() => request(service.url, 'POST', '/api/billing/webhook', { raw: body, headers }));
};

const expectCardEventRefused = async (withinMs: number): Promise<void> => {
  const { result, tookMs } = await sendCardEvent();
  expect([500, 503]).toContain(result.status);
  expect(tookMs).toBeLessThan(withinMs);
};

/** Once the outage is known nobody waits for it, whoever they are. */
const expectRefusalsAtOnce = async (): Promise<void> => {
  for (const { tookMs } of await askMeanwhile()) expect(tookMs).toBeLessThan(1500);
  await expectCardEventRefused(1500);
};

const expectFailuresInTime = async (): Promise<void> => {
  for (const { result, tookMs } of await askMeanwhile()) {
    await expectHonestFailure(result);
    expectBelow(tookMs, 5000);
  }
};

const expectOutage = async (): Promise<void> => {
  const noticed = eventually(5000, async () => expect(await statusOf('/readyz')).toBe(503));
  // Some ask before anything has noticed, some when it is known.
  await Promise.all([
    ...[expectFailuresInTime(), expectCardEventRefused(5000)],
    noticed.then(expectFailuresInTime),
  ]);
  await eventually(5000, async () => {
    const { status, body } = await request(service.url, 'GET', '/readyz');
    expect({ status, body }).toEqual({ status: 503, body: { database: false, queue: false } });
  });
  await expectRefusalsAtOnce();
  const { result, tookMs } = await timed(() => statusOf('/healthz'));
  expect(result).toBe(200);
  expectBelow(tookMs, 1000);
  const malformed = await request(service.url, 'GET', '/api/v1/account', {
    headers: { authorization: 'Bearer nobody' },
  });
  expect(malformed.status).toBe(401);
};

const expectRecovery = async (): Promise<void> => {
  await eventually(6000, async () => {
    expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
    expect(await statusOf('/readyz')).toBe(200);
  });
  const many = Array.from({ length: 40 }, () => tenant.call('GET', '/api/v1/servers'));
  expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([200]));
};

/** A deleted server is purged by a queued job: that its row goes shows that the queue lives. */
const expectQueueWorks = async (): Promise<void> => {
  const serverId = await createServer(tenant);
  const rules = `/api/v1/servers/${serverId}/firewall`;
  await tenant.call('POST', rules, { body: { type: 'COUNTRY', value: 'FR' } });
  expect((await tenant.call('DELETE', `/api/v1/servers/${serverId}`)).status).toBe(200);
  const sql = connectSql(postgres.url);
  await eventually(10_000, async () => {
    expect(await sql`select id from servers where id = ${serverId}`).toHaveLength(0);
  });
  expect(await sql`select id from firewall_rules where server_id = ${serverId}`).toHaveLength(0);
};

test('while the database hangs every request fails in time; when it moves again, so do they', async () => {
  expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
  const frozen = await freezePostgres();
  try {
    await expectOutage();
  } finally {
    frozen.thaw();
  }
  await expectRecovery();
  // What failed was taken back: nobody is surprised later by a write that was refused.
  const keys = (await tenant.call('GET', '/api/v1/keys')).body.data;
  expect(keys.map(({ name }: { name: string }) => name)).toEqual(['fixture']);
});

test('a database that was gone is found again without a restart, and its queue is worked', async () => {
  const linesBefore = service.output().split('\n').length;
  await stopPostgres();
  await expectOutage();
  // While nobody can be served, many come and ask.
  for (let round = 0; round < 20; round++) await askMeanwhile();
  await startPostgresAgain();
  expect((await tenant.call('GET', '/api/v1/account')).status).toBe(200);
  await expectRecovery();
  const lines = service.output().split('\n').slice(linesBefore);
  expect(lines.length).toBeLessThan(40);
  expect(lines.filter((line) => line.includes('the database answers again'))).toHaveLength(1);
  await expectQueueWorks();
  expect(service.output().match(/"msg":"listening"/g)).toHaveLength(1);
});
