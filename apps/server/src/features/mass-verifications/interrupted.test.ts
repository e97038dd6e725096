import { afterAll, beforeAll, expect, test } from 'bun:test';
import { backupDependencies } from '../../../test/harness/backups/run-backup.ts';
import {
  type MassFixture,
  startMassFixture,
  verified,
} from '../../../test/harness/mass-verifications.ts';
import {
  type OnRequest,
  startPlatformProxy,
} from '../../../test/harness/network/platform-proxy.ts';
import { ownLease } from '../../../test/harness/own-lease.ts';
import { isHeld } from '../protection/raid/queries/review.ts';
import { executeMassVerification } from './run/execute.ts';

let fixture: MassFixture;
let onRequest: OnRequest = async () => undefined;
let proxy: ReturnType<typeof startPlatformProxy>;
beforeAll(async () => {
  fixture = await startMassFixture({ doesWork: false });
  proxy = startPlatformProxy(fixture.simulator.apiUrl, (request) => onRequest(request));
});
afterAll(async () => {
  await proxy.stop();
  await fixture.stop();
});

const lacking = ['101', '102', '103'];
const people = [{ id: '100', roles: [verified.id] }, ...lacking.map((id) => ({ id }))];

/** Of a process of its own, as a worker that takes over has. */
const dependencies = () => ({
  ...backupDependencies(fixture.service, proxy.apiUrl),
  isHeld,
});

const forward = (request: Request): Promise<Response> => {
  const url = new URL(request.url);
  url.host = new URL(fixture.simulator.apiUrl).host;
  return fetch(url, { method: request.method, headers: request.headers });
};

type When = 'before' | 'after';

/** The worker stops at its nth call: before the call is made, or when it had its effect but no answer. */
const runUntil = async (owner: { accountId: string; jobId: string }, nth: number, when: When) => {
  const stop = new AbortController();
  let calls = 0;
  onRequest = async (request) => {
    calls += 1;
    if (calls < nth) return undefined;
    if (calls === nth && when === 'after') await forward(request);
    stop.abort();
    return new Response(null, { status: 503 });
  };
  const run = executeMassVerification(dependencies(), owner, {
    ...{ signal: stop.signal, lease: ownLease },
  });
  const isStopped = await run.then(
    () => false,
    () => true,
  );
  onRequest = async () => undefined;
  return isStopped;
};

test('a worker that is killed at any call leaves nothing that is done or counted twice', async () => {
  let stops = 0;
  for (const when of ['before', 'after'] as const) {
    for (let nth = 1; ; nth++) {
      const server = await fixture.newServer(people);
      const owner = { accountId: server.owner.accountId, jobId: await fixture.begin(server) };
      const isStopped = await runUntil(owner, nth, when);
      if (isStopped) {
        stops += 1;
        expect((await fixture.read(server, owner.jobId)).status).toBe('running');
        const { signal } = new AbortController();
        await executeMassVerification(dependencies(), owner, { signal, lease: ownLease });
      }
      const job = await fixture.read(server, owner.jobId);
      expect([when, nth, job.results]).toEqual([when, nth, { given: 3, already: 1, failed: 0 }]);
      expect(job).toMatchObject({ status: 'completed', total: 4 });
      // Only the person whose call had no answer may be given the role again; if they have it, not even they.
      expect(await fixture.gifts(server)).toEqual(lacking);
      if (!isStopped) break;
    }
  }
  expect(stops).toBeGreaterThanOrEqual(16);
});
