import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { createServer } from '../../../apps/server/test/harness/bots-and-servers.ts';
import { insertMembers } from '../../../apps/server/test/harness/members.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../apps/server/test/harness/service.ts';
import {
  sharedSimulator,
  type TestSimulator,
} from '../../../apps/server/test/harness/simulator/start.ts';
import { failureOf } from '../test/failure-of.ts';
import { quickClient } from '../test/quick-client.ts';
import { type Fetch, fetchFrom } from '../test/service-fetch.ts';
import { HoldfastError, HoldfastJobFailed, type Output } from './index.ts';

let simulator: TestSimulator;
let service: TestService;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ doesWork: true });
});
afterAll(() => service.stop());

const fixture = async (fetch: Fetch = fetchFrom(service)) => {
  const tenant = await service.newTenant();
  const guildId = randomPlatformId();
  const serverId = await createServer(tenant, { platformGuildId: guildId });
  const { key } = tenant;
  const given = { baseUrl: 'http://localhost:3000', key, fetch, retries: 0 };
  const { holdfast, pausesMs } = quickClient(given);
  return { tenant, holdfast, pausesMs, guildId, params: { id: serverId } };
};

describe('waiting for a backup', () => {
  test('ends with its last record, and reports each one on the way', async () => {
    const { holdfast, params } = await fixture();
    const reported: Output<'getBackup'>[] = [];
    const begun = await holdfast.createBackup({ params });
    const done = await holdfast.waitForBackup(begun, {
      onProgress: (backup) => reported.push(backup),
    });
    expect(done.status).toBe('completed');
    expect(done.checksum).not.toBeNull();
    expect(reported.at(-1)).toEqual(done);
    expect(reported.map(({ id }) => id)).toEqual(reported.map(() => begun.id));
    const progress = reported.map((backup) => backup.progress);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  });

  test('throws its record if it failed', async () => {
    const { holdfast, params, guildId } = await fixture();
    await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
    const begun = await holdfast.createBackup({ params });
    const failed = await failureOf(holdfast.waitForBackup(begun), HoldfastJobFailed);
    expect(failed.record).toMatchObject({ id: begun.id, status: 'failed' });
    expect(failed.message).toBe(failed.record.error ?? 'a sentence');
  });

  test('continues after the service was unreachable or rate limited it', async () => {
    const reason = new TypeError('Nobody there');
    const away: (() => Promise<Response>)[] = [];
    const { holdfast, pausesMs, params } = await fixture(
      (url, init) => away.shift()?.() ?? fetchFrom(service)(url, init),
    );
    const begun = await holdfast.createBackup({ params });
    away.push(
      () => Promise.reject(reason),
      async () => new Response('', { status: 500 }),
      async () => new Response('', { status: 429, headers: { 'retry-after': '3600' } }),
    );
    expect((await holdfast.waitForBackup(begun)).status).toBe('completed');
    expect(away).toEqual([]);
    expect(pausesMs.slice(0, 3)).toEqual([500, 750, 1125]);
    expect(Math.max(...pausesMs)).toBeLessThanOrEqual(5000);
  });

  test('waits by a clock that nobody can set', async () => {
    const done = { id: 'x', serverId: 'y', status: 'completed', progress: 100, error: null };
    const steps = [3_600_000, -7_200_000];
    const { holdfast } = await fixture(async () => {
      const step = steps.shift();
      if (step === undefined) return Response.json({ data: done });
      setSystemTime(Date.now() + step);
      throw new TypeError('Nobody there');
    });
    try {
      expect((await holdfast.waitForBackup(done)).status).toBe('completed');
    } finally {
      setSystemTime();
    }
  });

  test('ends at once if there is nothing to wait for', async () => {
    const { holdfast, params } = await fixture();
    const unknown = { id: crypto.randomUUID(), serverId: params.id };
    const error = await failureOf(holdfast.waitForBackup(unknown), HoldfastError);
    expect(error.kind).toBe('notFound');
  });

  test('ends when the caller aborts', async () => {
    const queued = { id: 'x', serverId: 'y', status: 'queued', progress: 0, error: null };
    const { holdfast } = await fixture(async () => Response.json({ data: queued }));
    const stop = new AbortController();
    const reason = new Error('Never mind');
    const waiting = holdfast.waitForBackup(queued, {
      signal: stop.signal,
      onProgress: () => setTimeout(() => stop.abort(reason), 10),
    });
    expect(await failureOf(waiting, Error)).toBe(reason);
  });
});

describe('waiting for a restore', () => {
  test('ends with its last record', async () => {
    const { holdfast, params } = await fixture();
    const backup = await holdfast.waitForBackup(await holdfast.createBackup({ params }));
    const begun = await holdfast.restoreBackup({ params: { ...params, backupId: backup.id } });
    const done = await holdfast.waitForRestore(begun);
    expect(done.status).toBeOneOf(['completed', 'partial']);
    expect(done.safetyBackupId).not.toBeNull();
  });

  test('throws its record if it was cancelled', async () => {
    const { holdfast, params } = await fixture();
    const backup = await holdfast.waitForBackup(await holdfast.createBackup({ params }));
    const begun = await holdfast.restoreBackup({ params: { ...params, backupId: backup.id } });
    await holdfast.cancelRestore({ params: { id: begun.id } });
    const failed = await failureOf(holdfast.waitForRestore(begun), HoldfastJobFailed);
    expect(failed.record.status).toBe('cancelled');
  });
});

describe('waiting for a pull', () => {
  test('ends with its last record', async () => {
    const { holdfast, params } = await fixture();
    const done = await holdfast.waitForPull(await holdfast.createPull({ params }));
    expect(done).toMatchObject({ status: 'completed', serverId: params.id, processed: 0 });
  });

  test('throws its record if it failed', async () => {
    const { tenant, holdfast, params, guildId } = await fixture();
    const pullable = { consentedAt: new Date(), tokenStatus: 'VALID' } as const;
    await insertMembers(service.db, { owner: tenant, serverId: params.id }, pullable);
    await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
    const begun = await holdfast.createPull({ params });
    const failed = await failureOf(holdfast.waitForPull(begun), HoldfastJobFailed);
    expect(failed.record).toMatchObject({ id: begun.id, status: 'failed' });
  });
});
