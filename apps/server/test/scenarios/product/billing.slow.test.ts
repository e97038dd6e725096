import { afterAll, beforeAll, expect, test } from 'bun:test';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries } from '../../../src/db/embedded/binaries.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { runProgram } from '../../../src/db/embedded/system.ts';
import { chooseRunAs } from '../../../src/db/embedded/user.ts';
import {
  accountOf,
  cardSubscription,
  eventsOf,
  ledgerOf,
  merchantSecret,
  newRef,
  nowSeconds,
  type RawCardEvent,
  sendCard,
  signingSecret,
} from '../../harness/billing/events.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  createKey,
  makeFolder,
  request,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import { runAdmin, type ServiceProcess } from '../../harness/service-process.ts';

const copies = 50;
const spreadMs = 4000;

let folder: string;
let postgres: EmbeddedPostgres;
let env: Record<string, string>;
let services: [ServiceProcess, ServiceProcess];

beforeAll(async () => {
  folder = await makeFolder();
  postgres = await startEmbeddedPostgres(folder);
  env = {
    ...{ DATABASE_URL: postgres.url, ROLE: 'api' },
    ...{ BILLING_SIGNING_SECRET: signingSecret, CRYPTO_MERCHANT_SECRET: merchantSecret },
  };
  services = [await startService(env), await startService(env)];
});
afterAll(async () => {
  await postgres?.stop();
  await stopServices();
});

/** As a crash of its machine would, and at once up again on the same port. */
const restartPostgres = async (): Promise<void> => {
  const clusterDir = join(folder, 'postgres');
  const runAs = await chooseRunAs(clusterDir);
  const { pgCtl } = await findBinaries(folder, runAs);
  const logFile = join(folder, 'postgres.log');
  const log = await open(logFile, 'a');
  const restart = ['restart', '-D', clusterDir, '-m', 'immediate', '-l', logFile, '-w', '-s'];
  const { code } = await runProgram(pgCtl, restart, { runAs, logDescriptor: log.fd });
  await log.close();
  if (code !== 0) throw new Error('PostgreSQL did not start again');
};

const callerAt = ({ url }: ServiceProcess) => ({
  call: (method: string, path: string, options = {}) => request(url, method, path, options),
});

type Told = { taken: number; again: number; strange: number[] };

/** One copy, sent to either process until one of them takes it, as the provider does. */
const deliver = async (event: RawCardEvent, told: Told): Promise<void> => {
  await Bun.sleep(Math.random() * spreadMs);
  for (let attempt = Math.floor(Math.random() * 2); ; attempt++) {
    const service = services[attempt % 2] ?? services[0];
    const status = await sendCard(callerAt(service), event).then(
      (reply) => reply.status,
      () => 0,
    );
    if (status === 200) {
      told.taken++;
      return;
    }
    told.again++;
    // No answer, or an honest failure: safe to send again. Nothing else may happen.
    if (status !== 0 && status < 500) told.strange.push(status);
    await Bun.sleep(200 + Math.random() * 200);
  }
};

type Customer = { tenant: Tenant; events: RawCardEvent[] };

/** Four events each, which end the same in whatever order they are taken. */
const newCustomer = async (): Promise<Customer> => {
  const created = await createKey(postgres.url, { plan: 'FREE' });
  const tenant = tenantAt(services[0].url, created);
  const subscription = cardSubscription(created.accountId);
  const charge = newRef('ch');
  const t = nowSeconds() - 100;
  const events = [
    subscription.checkout('PREMIUM', t),
    subscription.update('BUSINESS', t + 1),
    subscription.refund(charge, 300, t + 2),
    subscription.refund(charge, 500, t + 3),
  ];
  return { tenant, events };
};

type Entry = { action: string; changes: { events?: string[]; amountCents?: number } };
type Listed = { providerEventId: string; outcome: string };

const expectOnce = async ({ tenant, events }: Customer): Promise<void> => {
  expect(await accountOf(tenant)).toMatchObject({
    plan: 'BUSINESS',
    subscription: { plan: 'BUSINESS', status: 'ACTIVE' },
  });
  const listed: Listed[] = await eventsOf(tenant);
  const idsOf = (rows: { providerEventId: string }[]) => rows.map((row) => row.providerEventId);
  expect(idsOf(listed).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  // Every event that changed something has its audit entry, and no entry tells of it twice.
  const audit: Entry[] = (await tenant.call('GET', '/api/v1/audit?limit=100')).body.data;
  const audited = audit.flatMap(({ changes }) => changes.events ?? []);
  const applied = idsOf(listed.filter(({ outcome }) => outcome === 'APPLIED'));
  expect(audited.toSorted()).toEqual(applied.toSorted());
  // And the ledger holds what the audit log says.
  const ledger: { amountCents: number; balanceCents: number }[] = await ledgerOf(tenant);
  const credited = audit.flatMap(({ action, changes }) =>
    action === 'ledger.refund' ? [changes.amountCents] : [],
  );
  expect(ledger.map(({ amountCents }) => amountCents)).toEqual(credited as number[]);
  expect(ledger[0]?.balanceCents).toBe(500);
  const verified = await runAdmin(env, 'verify-audit', '--user', tenant.accountId);
  expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
};

test('20 events in 50 copies each count once, though a process is killed and the database restarted', async () => {
  const customers = await Promise.all(Array.from({ length: 5 }, newCustomer));
  const told: Told = { taken: 0, again: 0, strange: [] };
  const deliveries = customers
    .flatMap(({ events }) => events)
    .flatMap((event) => Array.from({ length: copies }, () => deliver(event, told)));
  expect(deliveries).toHaveLength(1000);
  await eventually(30_000, () => expect(told.taken).toBeGreaterThan(150));
  services[1].kill('SIGKILL');
  await eventually(30_000, () => expect(told.taken).toBeGreaterThan(350));
  expect(told.taken).toBeLessThan(900);
  await restartPostgres();
  services[1] = await startService(env);
  await Promise.all(deliveries);

  expect(told).toMatchObject({ taken: 1000, strange: [] });
  expect(told.again).toBeGreaterThan(0);
  for (const customer of customers) await expectOnce(customer);
});

test('the rate of a key follows its plan in the next window, on both processes', async () => {
  const created = await createKey(postgres.url, { plan: 'FREE' });
  const limits = () =>
    Promise.all(
      services.map(async ({ url }) => {
        const { headers } = await tenantAt(url, created).call('GET', '/api/v1/account');
        return Number(headers.get('x-ratelimit-limit'));
      }),
    );
  expect(await limits()).toEqual([20, 20]);
  const checkout = cardSubscription(created.accountId).checkout('PREMIUM');
  expect((await sendCard(callerAt(services[0]), checkout)).status).toBe(200);
  // The window that is open keeps the limit it began with.
  await Bun.sleep(1500);
  expect(await limits()).toEqual([20, 20]);
  await Bun.sleep(9000);
  expect(await limits()).toEqual([50, 50]);
});
