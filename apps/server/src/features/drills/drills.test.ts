import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { newId } from '../../kernel/ids.ts';
import { insertDrill, listServersDue } from './queries.ts';

let service: TestService;
let owner: OwnTenant;
let dashboard: Awaited<ReturnType<typeof openDashboard>>;

beforeAll(async () => {
  service = await startTestService({ doesWork: ['drills.run'] });
  owner = await service.newTenant();
  dashboard = await openDashboard(service, owner);
});
afterAll(() => service.stop());

const drillOf = (serverId: string) =>
  eventually(20_000, async () => {
    const { data } = (await dashboard.call('GET', `/servers/${serverId}/drills`)).body;
    expect(data.drills[0].status).toBe('completed');
    return data.drills[0];
  });

const protect = (serverId: string) => service.db.$client`
  update servers set anti_nuke_enabled = true where id = ${serverId}`;

test('a drill that cannot be says why, is audited, and may be tried again at once', async () => {
  const path = (serverId: string) => `/servers/${serverId}/drills`;
  const [open, bare] = [await createServer(owner), await createServer(owner)];
  await protect(bare);
  const started = await dashboard.call('POST', path(open));
  expect(started.status).toBe(202);
  expect(started.body.data).toMatchObject({ serverId: open, isScheduled: false, outcome: null });
  await dashboard.call('POST', path(bare));
  expect(await drillOf(open)).toMatchObject({ outcome: 'SWITCHED_OFF', figures: null });
  expect(await drillOf(bare)).toMatchObject({
    ...{ outcome: 'NO_GOOD_BACKUP', membersReachable: 0, membersTotal: 0 },
  });
  const { body } = await owner.call('GET', '/api/v1/audit?limit=100');
  const actions = body.data.map(({ action }: { action: string }) => action);
  expect(actions.filter((action: string) => action.startsWith('drill.'))).toHaveLength(4);
  expect(service.changes).toContainEqual({
    ...{ accountId: owner.accountId, topic: `protection:${open}` },
  });
  expect((await dashboard.call('POST', path(open))).status).toBe(202);
  expect((await owner.call('GET', `/api/v1${path(open)}`)).status).toBe(404);
});

test('every protected server with a good backup has its turn once a month', async () => {
  const [serverId, unprotected] = [await createServer(owner), await createServer(owner)];
  await protect(serverId);
  await service.db.$client`update servers set last_good_backup_id = ${newId()}
    where id in (${serverId}, ${unprotected})`;
  const hour = 3_600_000;
  const begin = Math.floor(Date.now() / hour) * hour;
  const dueAt: number[] = [];
  for (let at = begin; at < begin + 720 * hour; at += 6 * hour) {
    const due = (await listServersDue(service.db, new Date(at), 100)).map((one) => one.serverId);
    expect(due).not.toContain(unprotected);
    if (due.includes(serverId)) dueAt.push(at);
  }
  // Two days, in steps of six hours.
  expect(dueAt).toHaveLength(8);
  const drill = { accountId: owner.accountId, serverId, isScheduled: true };
  const [row] = await service.db.transaction(async (tx) => [
    await insertDrill(tx, { ...drill, id: newId() }),
    await insertDrill(tx, { ...drill, id: newId() }),
  ]);
  const [first = 0] = dueAt;
  await service.db.$client`update drills set created_at = ${new Date(first)}
    where id = ${row?.id ?? ''}`;
  // The month may begin within a turn, and end within the next one.
  for (const at of dueAt.filter((one) => one < first + 48 * hour)) {
    const due = await listServersDue(service.db, new Date(at), 100);
    expect(due.map((one) => one.serverId)).not.toContain(serverId);
  }
});
