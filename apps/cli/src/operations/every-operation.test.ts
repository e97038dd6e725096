import { afterAll, beforeAll, expect, test } from 'bun:test';
import { catalog } from '@holdfast/sdk/catalog';
import { createServer } from '../../../server/test/harness/bots-and-servers.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../../server/test/harness/service.ts';
import { runInProcess } from '../../test/run-in-process.ts';
import { pathParams } from './call.ts';
import { flagsOf } from './flags.ts';

let service: TestService;
let owner: Tenant;
let recorder: ReturnType<typeof startRecorder>;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.newTenant();
  await createServer(owner);
  recorder = startRecorder(service.listen());
});
afterAll(async () => {
  await recorder.stop();
  await service.stop();
});

/** Passes requests on to the service and notes each, with its ids taken out, and its answer. */
const startRecorder = ({ url, stop }: { url: string; stop(): Promise<void> }) => {
  const seen = new Map<string, number>();
  const proxy = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const answer = await fetch(`${url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: request.body,
      });
      seen.set(`${request.method} ${pathname.replace(/[0-9a-f-]{36}/g, ':')}`, answer.status);
      return answer;
    },
  });
  return {
    seen,
    url: proxy.url.href,
    async stop() {
      proxy.stop(true);
      await stop();
    },
  };
};

test('every operation of the API is reached by its command', async () => {
  const picture = new URL(import.meta.url).pathname;
  for (const operation of catalog) {
    const args = pathParams(operation.path).map(({ resource }) =>
      resource === 'server' ? 'Harbour' : crypto.randomUUID(),
    );
    const required = flagsOf(operation).filter(({ field }) => field.isRequired);
    // The service refuses what is wrong; here it only has to arrive.
    const flags = required.flatMap(({ flag, field }) =>
      field.schema.type === 'boolean'
        ? [flag]
        : [flag, field.schema.type === 'object' ? '{}' : 'x'],
    );
    const confirmed = operation.isDestructive ? ['--yes'] : [];
    const file = operation.upload ? [picture] : [];
    const isDeletion = operation.name === 'deleteServer';
    const address = isDeletion ? [crypto.randomUUID()] : args;
    const { written } = await runInProcess(
      [...operation.command, ...address, ...file, ...flags, ...confirmed],
      { HOLDFAST_URL: recorder.url, HOLDFAST_API_KEY: owner.key },
    );
    const route = `${operation.method} /api/v1${operation.path.replace(/:\w+/g, ':')}`;
    expect(recorder.seen.get(route), `${route}: ${written}`).toBeLessThan(500);
  }
});
