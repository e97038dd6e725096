import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AlertKind, alertKinds, defaultAlertSettings } from '@holdfast/contract';
import { storeAlert, storeManyAlerts } from '../../../test/harness/alerts.ts';
import { auditOf } from '../../../test/harness/api-calls.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { expireAlertsJob } from './jobs.ts';
import type { AlertFacts } from './rules.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const listOf = async (tenant: OwnTenant) => (await tenant.call('GET', '/api/v1/alerts')).body.data;
const read = (tenant: OwnTenant, upTo: unknown) =>
  tenant.call('POST', '/api/v1/alerts/read', { body: { upTo } });
const put = (tenant: OwnTenant, body: object) =>
  tenant.call('PUT', '/api/v1/alerts/settings', { body });
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe('the list of alerts', () => {
  test('shows what happened as sentences, with the page that helps, newest first', async () => {
    const owner = await service.newTenant();
    const serverId = await createServer(owner, { name: 'The Old Harbour' });
    const backupId = crypto.randomUUID();
    const facts = { backupId, error: 'The platform did not answer: try again later' };
    const failed = { serverId, kind: 'BACKUP_FAILED' as const, facts };
    const older = await storeAlert(owner, { createdAt: minutesAgo(2) });
    const newer = await storeAlert(owner, { ...failed, createdAt: minutesAgo(1) });
    expect(await listOf(owner)).toEqual([
      {
        ...{ id: newer, serverId, kind: 'BACKUP_FAILED', readAt: null },
        title: 'A backup of The Old Harbour failed',
        detail: 'The platform did not answer: try again later.',
        href: `/dashboard/servers/${serverId}/backups/${backupId}`,
        createdAt: expect.any(String),
      },
      expect.objectContaining({
        ...{ id: older, serverId: null, kind: 'BOT_REFUSED', href: '/dashboard/bots' },
        title: 'The platform refuses the bot Gatekeeper',
      }),
    ]);
  });

  test('has a title, a detail and a link for every kind', async () => {
    const owner = await service.newTenant();
    const serverId = await createServer(owner, { name: 'Harbour' });
    const id = crypto.randomUUID();
    const error = 'The bot is switched off';
    const sold = { orderId: id, quantity: 2, totalCents: 2550, currency: 'USD' };
    const facts = {
      SERVER_DAMAGED: { channels: 19, roles: 1 },
      SERVER_LOST: { reason: 'GUILD_DELETED' },
      BACKUP_FAILED: { backupId: id, error },
      BACKUP_UNPROVED: { backupId: id },
      BOT_REFUSED: { botName: 'Gatekeeper', refused: 'CLIENT_SECRET' },
      TOKENS_FALLING: { revoked: 30, total: 100 },
      PULL_ENDED: { pullId: id, status: 'failed', joined: 3, total: 9, error },
      RESTORE_ENDED: { restoreId: id, status: 'partial', error: null },
      PAYMENT_FAILED: { plan: 'PREMIUM', until: '2026-05-08T00:00:00.000Z' },
      APPEAL_OPENED: {},
      ORDER_SOLD: { ...sold, isDeliveredByHand: true },
      INCIDENT: { incidentId: id, incidentKind: 'NUKE' },
    } as const;
    for (const kind of alertKinds) {
      await storeAlert(owner, { serverId, kind, facts: facts[kind] });
    }
    const rows: { kind: string; title: string; detail: string; href: string }[] =
      await listOf(owner);
    expect(rows.map(({ kind }) => kind).toSorted()).toEqual([...alertKinds].toSorted());
    for (const { title, detail, href } of rows) {
      expect(`${title} ${detail}`).not.toMatch(/undefined|null|NaN|\[object/);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(detail).toMatch(/^[A-Z0-9].*\.$/);
      expect(href).toMatch(/^\/dashboard\/(bots|billing|servers\/|marketplace\/orders\/)/);
    }
    const sentences = rows.map(({ title, detail }) => `${title}. ${detail}`);
    expect(sentences).toContainEqual(expect.stringContaining('19 channels and 1 role.'));
    expect(sentences).toContainEqual(expect.stringContaining('An order over 25.50 USD was paid.'));
    expect(sentences).toContainEqual(expect.stringContaining('until 8 May 2026'));
  });

  test('says how many a pull did not bring back', async () => {
    const owner = await service.newTenant();
    const serverId = await createServer(owner, { name: 'Harbour' });
    const id = crypto.randomUUID();
    const pull = { pullId: id, status: 'completed', total: 30, error: null } as const;
    const store = (kind: AlertKind, facts: AlertFacts) =>
      storeAlert(owner, { serverId, kind, facts });
    const missing = '29 could not be brought back: the result says why.';
    for (const [joined, detail] of [
      [30, 'Everybody who agreed to it is there.'],
      [1, missing],
      [0, '30 could not be brought back: the result says why.'],
    ] as const) {
      await store('PULL_ENDED', { ...pull, joined });
      expect((await listOf(owner))[0]).toMatchObject({ detail });
    }
    await store('PULL_ENDED', { ...pull, joined: 1, alreadyMember: 29 });
    const whole = { detail: '29 were there already. Everybody who agreed to it is there.' };
    expect((await listOf(owner))[0]).toMatchObject(whole);
    await store('PULL_ENDED', { ...pull, status: 'failed', joined: 1, error: 'The bot is gone' });
    const broken = { detail: `The bot is gone. 1 of 30 joined. ${missing}` };
    expect((await listOf(owner))[0]).toMatchObject(broken);
  });

  test('is marked as read up to the named alert, which answers how many were unread', async () => {
    const owner = await service.newTenant();
    const sameMoment = minutesAgo(5);
    const ids = [];
    for (let made = 0; made < 4; made++)
      ids.push(await storeAlert(owner, { createdAt: sameMoment }));
    const [, second, , last] = ids.toSorted();
    expect((await read(owner, second)).body).toEqual({ data: { read: 2 } });
    const unread = (await listOf(owner)).filter(({ readAt }: { readAt: null }) => readAt === null);
    expect(unread.map(({ id }: { id: string }) => id)).toEqual(ids.toSorted().slice(2).reverse());
    const dashboard = await openDashboard(service, owner);
    const count = async () => (await dashboard.call('GET', '/alerts/unread')).body.data;
    expect(await count()).toEqual({ unread: 2 });
    expect((await read(owner, last)).body).toEqual({ data: { read: 2 } });
    expect((await read(owner, last)).body).toEqual({ data: { read: 0 } });
    expect((await read(owner, second)).body).toEqual({ data: { read: 0 } });
    expect(await count()).toEqual({ unread: 0 });
  });

  test('is marked once, however many mark it at the same time', async () => {
    const owner = await service.newTenant();
    await storeManyAlerts(owner, 40);
    const ids = (await owner.call('GET', '/api/v1/alerts?limit=100')).body.data.map(
      ({ id }: { id: string }) => id,
    );
    const upTo = [0, 5, 39, 20, 0, 10, 0].map((at) => ids[at]);
    const replies = await Promise.all(upTo.map((id) => read(owner, id)));
    expect(replies.map(({ status }) => status)).toEqual(upTo.map(() => 200));
    const counts: number[] = replies.map(({ body }) => body.data.read);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect((await read(owner, ids[0])).body).toEqual({ data: { read: 0 } });
  });

  test('is marked as a whole where it is very long, and goes with its server', async () => {
    const owner = await service.newTenant();
    const serverId = await createServer(owner);
    await storeManyAlerts(owner, 10_050, serverId);
    const [newest] = await listOf(owner);
    expect((await read(owner, newest.id)).body).toEqual({ data: { read: 10_050 } });
    expect((await owner.call('DELETE', `/api/v1/servers/${serverId}`)).status).toBe(200);
    const { databaseUrl, ring } = service;
    const worker = await startTestService({ databaseUrl, ring, doesWork: ['servers.purge'] });
    await eventually(20_000, async () => expect(await listOf(owner)).toEqual([]));
    await worker.stop();
  });

  test("is each account's own, and a foreign alert is one that does not exist", async () => {
    const [owner, stranger] = [await service.newTenant(), await service.newTenant()];
    const own = await storeAlert(owner);
    const foreign = await storeAlert(stranger);
    const replies = [await read(owner, foreign), await read(owner, crypto.randomUUID())];
    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
    expect(replies[0]?.text).toBe(replies[1]?.text ?? '');
    expect((await read(owner, own)).body).toEqual({ data: { read: 1 } });
    expect(await listOf(stranger)).toMatchObject([{ id: foreign, readAt: null }]);
  });

  test('is not marked by what is no alert id', async () => {
    const owner = await service.newTenant();
    for (const upTo of [undefined, null, '', 'latest', 7, [], '00000000-0000-0000-0000']) {
      const reply = await read(owner, upTo);
      expect(reply.status).toBe(400);
      expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['upTo']);
    }
  });

  test('leaves out what the account does not want in its dashboard', async () => {
    const owner = await service.newTenant();
    const hidden = await storeAlert(owner, { isListed: false });
    expect(await listOf(owner)).toEqual([]);
    expect((await read(owner, hidden)).status).toBe(404);
  });

  test('loses the alerts of a server that is deleted, at once', async () => {
    const owner = await service.newTenant();
    const serverId = await createServer(owner);
    const appeal = { serverId, kind: 'APPEAL_OPENED' as const, facts: {} };
    await storeAlert(owner, appeal);
    const kept = await storeAlert(owner);
    await owner.call('DELETE', `/api/v1/servers/${serverId}`);
    expect(await listOf(owner)).toMatchObject([{ id: kept }]);
    // A job that ends after the deletion raises one more, which the purge deletes.
    await storeAlert(owner, appeal);
    const { databaseUrl, ring } = service;
    const worker = await startTestService({ databaseUrl, ring, doesWork: ['servers.purge'] });
    await eventually(20_000, async () => expect(await listOf(owner)).toMatchObject([{ id: kept }]));
    await worker.stop();
  });

  test('loses alerts after ninety days, read or not, and open pages are told', async () => {
    const owner = await service.newTenant();
    const day = 24 * 60;
    const stranger = await service.newTenant();
    await storeAlert(stranger, { createdAt: minutesAgo(91 * day), isListed: false });
    await storeAlert(owner, { createdAt: minutesAgo(91 * day) });
    await storeAlert(owner, { createdAt: minutesAgo(92 * day), readAt: new Date() });
    const kept = await storeAlert(owner, { createdAt: minutesAgo(89 * day) });
    const job = expireAlertsJob({ db: service.db, clock: { now: () => new Date() } });
    if (job.subjectOf) throw new Error('It needs no lease');
    const before = service.changes.length;
    await job.run({}, new AbortController().signal);
    expect(await listOf(owner)).toMatchObject([{ id: kept }]);
    const told = service.changes.slice(before).filter(({ topic }) => topic === 'alerts');
    expect(told).toEqual([{ accountId: owner.accountId, topic: 'alerts' }]);
  });
});

describe('the settings of alerts', () => {
  const settingsOf = async (tenant: OwnTenant) =>
    (await tenant.call('GET', '/api/v1/alerts/settings')).body.data;
  const every = { email: true, channel: true, dashboard: true };
  const none = { email: false, channel: false, dashboard: false };

  test('have all three ways for what is urgent, mail for what failed, the dashboard for the rest', async () => {
    const owner = await service.newTenant();
    const mailed = { ...every, channel: false };
    const listed = { ...none, dashboard: true };
    expect(await settingsOf(owner)).toEqual({
      ...{ SERVER_DAMAGED: every, SERVER_LOST: every, INCIDENT: every, BOT_REFUSED: every },
      ...{ BACKUP_FAILED: mailed, BACKUP_UNPROVED: mailed, TOKENS_FALLING: mailed },
      ...{ PAYMENT_FAILED: mailed, PULL_ENDED: listed, RESTORE_ENDED: listed },
      ...{ APPEAL_OPENED: listed, ORDER_SOLD: listed },
    });
  });

  test('are merged by kind, each kind as a whole, and are the account’s own', async () => {
    const [owner, stranger] = [await service.newTenant(), await service.newTenant()];
    const first = await put(owner, { ORDER_SOLD: every });
    expect([first.status, first.body.data]).toEqual([
      200,
      { ...defaultAlertSettings, ORDER_SOLD: every },
    ]);
    const second = await put(owner, { INCIDENT: none, ORDER_SOLD: none });
    const changed = { ...defaultAlertSettings, INCIDENT: none, ORDER_SOLD: none };
    expect(second.body.data).toEqual(changed);
    expect(await settingsOf(owner)).toEqual(changed);
    expect(await settingsOf(stranger)).toEqual(defaultAlertSettings);
  });

  test('that change at once are all stored', async () => {
    const owner = await service.newTenant();
    const replies = await Promise.all(alertKinds.map((kind) => put(owner, { [kind]: none })));
    expect(replies.map(({ status }) => status)).toEqual(alertKinds.map(() => 200));
    expect(Object.values(await settingsOf(owner))).toEqual(alertKinds.map(() => none));
  });

  test('refuse a kind that is not whole, and a body without a known kind', async () => {
    const owner = await service.newTenant();
    const { channel: _, ...partial } = every;
    for (const ways of [partial, {}, null, true, [], { ...every, email: 'yes' }]) {
      const reply = await put(owner, { BACKUP_FAILED: ways, ORDER_SOLD: every });
      expect([reply.status, Object.keys(reply.body.details.fieldErrors)]).toEqual([
        400,
        ['BACKUP_FAILED'],
      ]);
    }
    for (const body of [{}, { SHIP_SUNK: every }, { backup_failed: every }, { email: true }]) {
      expect((await put(owner, body)).status).toBe(400);
    }
    expect(await settingsOf(owner)).toEqual(defaultAlertSettings);
  });

  test('are in the audit log where they changed, with what they replaced', async () => {
    const owner = await service.newTenant();
    await put(owner, { ORDER_SOLD: every });
    await put(owner, { ORDER_SOLD: every, INCIDENT: every });
    const { data } = await auditOf(owner);
    const [entry, created] = data;
    expect(entry).toMatchObject({
      action: 'alertSettings.update',
      changes: { ORDER_SOLD: { from: defaultAlertSettings.ORDER_SOLD, to: every } },
    });
    expect(created.action).toBe('key.create');
  });
});
