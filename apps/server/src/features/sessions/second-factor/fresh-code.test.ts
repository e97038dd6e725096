import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  alertKinds,
  dashboardEndpoints,
  type Endpoint,
  type EndpointName,
  endpoints,
} from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import { TOTP } from 'otpauth';
import { createBot, createServer } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { formWith, type Sample } from '../../../../test/harness/endpoints/sample-records.ts';
import { samples } from '../../../../test/harness/endpoints/samples.ts';
import { createListing } from '../../../../test/harness/marketplace/fixture.ts';
import {
  type OwnTenant,
  plansWithoutRateLimit,
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

import { restores } from '../../restores/table.ts';

let service: TestService;
/** Has a second factor switched on. */
let owner: OwnTenant;
/** Has none. */
let plainOwner: OwnTenant;
beforeAll(async () => {
  const roomy = { maxServers: 1e6, maxBots: 1e6, maxBackups: 1e6, pullCooldownMs: 0 };
  const plans = {
    ...plansWithoutRateLimit,
    ENTERPRISE: { ...plansWithoutRateLimit.ENTERPRISE, ...roomy },
  };
  service = await startTestService({ plans, doesWork: ['backups.run'] });
  [owner, plainOwner] = [await service.newTenant(), await service.newTenant()];
  await switchOnSecondFactor();
});
afterAll(() => service.stop());

const switchOnSecondFactor = async () => {
  const { call } = await openDashboard(service, owner);
  const { secret } = (await call('POST', '/second-factor')).body.data;
  const code = new TOTP({ secret }).generate();
  expect((await call('PUT', '/second-factor', { code })).status).toBe(200);
};

/** By a session of its own, which has shown no code. */
const send = async (entry: Endpoint, { params = {}, query, body, file }: Sample, by = owner) => {
  const { call } = await openDashboard(service, by);
  const path = entry.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  const search = new URLSearchParams(query).toString();
  return call(entry.method, `${path}${search && `?${search}`}`, file ? formWith(file) : body);
};

const refusal = {
  error: 'Confirm this with a code of your second factor',
  confirmationRequired: true,
};

const expectRefused = async (entry: Endpoint, sample: Sample) => {
  const { status, body } = await send(entry, sample);
  expect([status, body]).toEqual([403, refusal]);
};

const expectDone = async (entry: Endpoint, sample: Sample, by = owner) => {
  const { status, body } = await send(entry, sample, by);
  expect([status, body]).toEqual([entry.status, expect.objectContaining({ data: body.data })]);
};

// Object.entries widens the names; they are the contract's own.
const shared = Object.entries(endpoints) as [EndpointName, Endpoint][];
const dashboardOnly: [string, Endpoint][] = Object.entries(dashboardEndpoints);
const having = <Name extends string>(
  entries: [Name, Endpoint][],
  rule: Endpoint['freshSecondFactor'],
) => entries.filter(([, { freshSecondFactor }]) => freshSecondFactor === rule);

/** An id for each parameter of the path: of nothing that the route knows. */
const someIds = ({ path }: Endpoint): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, owner.accountId]));

test('the list of acts that ask for a fresh code is this one', () => {
  const names = (entries: [string, Endpoint][]) => entries.map(([name]) => name).toSorted();
  const all = [...shared, ...dashboardOnly];
  expect(names(having(all, 'always'))).toEqual(
    [
      ...[
        'acceptHealth',
        'approveDeviceAuthorization',
        'beginSecondFactor',
        'changeSubscription',
        'confirmOrder',
        'createKey',
        'createMassVerification',
        'createPayout',
        'createPull',
      ],
      ...['createWhitelistRule', 'deleteBackup', 'deleteBlacklistEntry', 'deleteBot'],
      ...['deleteAccount', 'deleteFirewallRule', 'deleteKey', 'deleteServer', 'restoreBackup'],
      ...[
        'decideWave',
        'dismissIncident',
        'repairIncident',
        'resumePull',
        'returnRoles',
        'showWebhookAddresses',
      ],
    ].toSorted(),
  );
  expect(names(having(all, 'inBody'))).toEqual([
    ...['confirmSession', 'endSecondFactor', 'finishSecondFactor'],
  ]);
  expect(
    names(all.filter(([, { freshSecondFactor }]) => typeof freshSecondFactor === 'object')),
  ).toEqual([...Object.keys(conditional), 'cancelRestore'].toSorted());
});

describe('without a fresh code', () => {
  test.each(having(shared, 'always'))('%s is refused', async (name, entry) => {
    await expectRefused(entry, await samples[name](owner));
  });

  test.each(having(shared, 'never'))('%s is done', async (name, entry) => {
    await expectDone(entry, await samples[name](owner));
  });

  test.each(having(dashboardOnly, 'always'))('%s is refused', async (_, entry) => {
    await expectRefused(entry, { params: someIds(entry) });
  });

  test.each(having(dashboardOnly, 'never'))('%s is not refused for that', async (_, entry) => {
    const { status, body } = await send(entry, { params: someIds(entry) });
    expect([200, 400, 404]).toContain(status);
    expect(body).not.toHaveProperty('confirmationRequired');
  });

  test.each(having(dashboardOnly, 'inBody'))('%s accepts no wrong code', async (_, entry) => {
    const { status, body } = await send(entry, { body: { code: '000000' } });
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, ['code']]);
  });

  test.each(shared.filter(([, { freshSecondFactor }]) => freshSecondFactor !== 'never'))(
    '%s is done where the account has no second factor',
    async (name, entry) => {
      // Deleting one leaves none for the others.
      const done = name === 'deleteAccount' ? await service.newTenant() : plainOwner;
      await expectDone(entry, await samples[name](done), done);
    },
  );
});

type Case = {
  /** What the record is brought to first. */
  from?: unknown;
  refused: unknown[];
  done: unknown[];
};

const anySwitch: Case = { from: true, refused: [false], done: [true] };

const alertWays: Case = {
  from: { email: true, channel: true, dashboard: false },
  refused: [
    { email: false, channel: true, dashboard: false },
    { email: true, channel: false, dashboard: true },
  ],
  done: [
    { email: true, channel: true, dashboard: false },
    { email: true, channel: true, dashboard: true },
  ],
};

/** For every field that can ask for a code: values that do, and values that do not. */
const conditional: Record<string, Record<string, Case>> = {
  updateBot: {
    botToken: { refused: ['another-token'], done: [] },
    clientId: { refused: [randomPlatformId()], done: [] },
    clientSecret: { refused: ['another-secret'], done: [] },
    publicKey: { refused: ['b'.repeat(64)], done: [] },
    redirectUri: { refused: ['https://example.com/another'], done: [] },
    isActive: { refused: [false], done: [true] },
  },
  updateServer: {
    customBotId: { refused: ['another bot'], done: [] },
    platformGuildId: { refused: [randomPlatformId()], done: [] },
    verifiedRoleId: { from: '11', refused: ['12', null], done: ['11'] },
    logChannelId: { from: '11', refused: ['12', null], done: ['11'] },
    captchaType: { from: 'POW', refused: ['NONE'], done: ['POW'] },
    vpnBlockEnabled: anySwitch,
    altDetectEnabled: anySwitch,
    firewallEnabled: anySwitch,
    antiNukeEnabled: anySwitch,
    antiRaidEnabled: anySwitch,
    minAccountAgeDays: { from: 7, refused: [6, 0], done: [7, 8] },
    backupSchedule: {
      from: { everyHours: 24 },
      refused: [null, { everyHours: 25 }],
      done: [{ everyHours: 24 }, { everyHours: 1 }],
    },
    retention: {
      from: { daily: 7, weekly: 4, monthly: 3 },
      refused: [
        { daily: 6, weekly: 100, monthly: 100 },
        { daily: 7, weekly: 0, monthly: 3 },
        { daily: 7, weekly: 4, monthly: 2 },
      ],
      done: [
        { daily: 7, weekly: 4, monthly: 3 },
        { daily: 8, weekly: 5, monthly: 4 },
      ],
    },
  },
  updateProtection: {
    antiNukeEnabled: anySwitch,
    antiRaidEnabled: anySwitch,
    thresholds: {
      from: { bans: { count: 4, perSeconds: 30 }, kicks: { count: 4, perSeconds: 30 } },
      refused: [
        { bans: { count: 5 } },
        { bans: { count: 1, perSeconds: 29 } },
        { bans: { count: 3 }, kicks: { count: 5, perSeconds: 60 } },
      ],
      done: [{ bans: { count: 4, perSeconds: 30 } }, { bans: { count: 3 }, kicks: { count: 1 } }],
    },
    raid: {
      from: { joins: 10, perSeconds: 10, minAccountAgeDays: 7 },
      refused: [{ joins: 11 }, { perSeconds: 9 }, { minAccountAgeDays: 6 }],
      done: [{ joins: 10 }, { joins: 9, perSeconds: 11, minAccountAgeDays: 8 }],
    },
    autoRepair: anySwitch,
    trusted: { refused: [[{ platformId: '42' }]], done: [[]] },
    disableDelayMinutes: { from: 30, refused: [29, 0], done: [30, 31] },
  },
  updateAlertSettings: Object.fromEntries(alertKinds.map((kind) => [kind, alertWays])),
  updateListing: { priceCents: { from: 900, refused: [899, 0], done: [900, 901] } },
  createOrder: { payWith: { refused: ['BALANCE'], done: ['CARD'] } },
  createInvoice: { payWith: { refused: ['BALANCE'], done: ['CRYPTO'] } },
  decideAppeal: { decision: { refused: ['ACCEPT'], done: ['REJECT'] } },
  downloadBackup: { withPeople: { refused: [true], done: [false] } },
};

/** Where each case begins: a new record of the owner's, and what else its request says. */
const recordFor: Record<string, () => Promise<Sample>> = {
  updateBot: async () => ({ params: { id: await createBot(owner) } }),
  updateServer: async () => ({ params: { id: await createServer(owner) } }),
  updateProtection: async () => ({ params: { id: await createServer(owner) } }),
  updateAlertSettings: async () => ({}),
  updateListing: async () => ({ params: { id: (await createListing(owner)).id } }),
  createOrder: () => samples.createOrder(owner),
  createInvoice: () => samples.createInvoice(owner),
  decideAppeal: () => samples.decideAppeal(owner),
  downloadBackup: () => samples.getBackupContents(owner),
};

const maybeRefused: [string, Endpoint][] = [...shared, ...dashboardOnly].filter(
  ([name]) => name in conditional,
);

describe.each(maybeRefused)('%s', (name, entry) => {
  const cases = conditional[name] ?? {};
  const ruleOfEntry = entry.freshSecondFactor;
  const { whenFields = {}, whenChanges = {} } = typeof ruleOfEntry === 'object' ? ruleOfEntry : {};

  test('is tried with every field that can ask for a code', () => {
    expect(Object.keys({ ...whenFields, ...whenChanges })).toEqual(Object.keys(cases));
  });

  test.each(Object.entries(cases))('asks by what %s is set to', async (field, { from, ...to }) => {
    const record = await recordFor[name]?.();
    const bring = async (value: unknown): Promise<Sample> => ({
      ...record,
      body: { ...record?.body, [field]: await meant(value) },
    });
    if (from !== undefined) await sendByKey(entry, await bring(from));
    for (const value of to.refused) await expectRefused(entry, await bring(value));
    for (const value of to.done) await expectDone(entry, await bring(value));
  });
});

const meant = (value: unknown) => (value === 'another bot' ? createBot(owner) : value);

/** A key is limited by its scopes alone. */
const sendByKey = async ({ method, path }: Endpoint, { params, body }: Sample) => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => params?.[name] ?? '');
  expect((await owner.call(method, `/api/v1${filled}`, { body })).status).toBe(200);
};

test('stopping the repair of an incident asks for a code and is an alert; another restore stops at once', async () => {
  const other = await samples.cancelRestore(owner);
  await expectDone(endpoints.cancelRestore, other);
  const repair = await samples.cancelRestore(owner);
  const { id = '' } = repair.params ?? {};
  await service.db
    .update(restores)
    .set({ incidentId: crypto.randomUUID() })
    .where(eq(restores.id, id));
  await expectRefused(endpoints.cancelRestore, repair);
  const alerts = async () => {
    const { data } = (await owner.call('GET', '/api/v1/alerts')).body;
    return data.filter(({ title }: { title: string }) => /^The repair of .* stopped$/.test(title));
  };
  expect(await alerts()).toEqual([]);
  await sendByKey(endpoints.cancelRestore, repair);
  await sendByKey(endpoints.cancelRestore, repair);
  expect(await alerts()).toEqual([
    expect.objectContaining({ kind: 'INCIDENT', detail: expect.stringContaining('API key') }),
  ]);
});

test('a name is changed without a code', async () => {
  const record = { params: { id: await createServer(owner) } };
  await expectDone(endpoints.updateServer, { ...record, body: { name: 'Quay' } });
  const bot = { params: { id: await createBot(owner) } };
  await expectDone(endpoints.updateBot, { ...bot, body: { name: 'Warden' } });
});
