import { afterAll, beforeAll, expect, test } from 'bun:test';
import { keyEndpoints } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import { auditOf } from '../../test/harness/api-calls.ts';
import { serveEndpoints } from '../../test/harness/serve-endpoints.ts';
import { startTestService, type TestService } from '../../test/harness/service.ts';
import { recordAudit } from '../features/audit/queries.ts';
import { apiKeys } from '../features/keys/table.ts';
import { markUnchanged } from './audited.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const { deleteKey } = keyEndpoints;

test.each([
  ['is rolled back where it made no entry in the audit log', 'silent', 500, 2],
  ['is committed where it made one', 'audited', 200, 1],
  ['is committed where it says that it changed nothing', 'unchanged', 200, 1],
] as const)('a change %s', async (_, kind, status, keysLeft) => {
  const send = serveEndpoints(
    service,
    { deleteKey },
    {
      async deleteKey(tx, { account: { accountId }, actor, params: { id } }) {
        await tx.delete(apiKeys).where(eq(apiKeys.id, id));
        const subject = { type: 'key', id } as const;
        if (kind === 'audited')
          await recordAudit(tx, { accountId, actor, action: 'key.revoke', subject });
        if (kind === 'unchanged') markUnchanged(tx);
        return { id, deleted: true as const };
      },
    },
  );
  const owner = await service.newTenant();
  const { keyId } = await service.newKey(owner, ['account:read']);
  const { total } = (await auditOf(owner)).pagination;
  const reply = await send(owner, 'DELETE', `/keys/${keyId}`);
  expect(reply.status).toBe(status);
  expect((await owner.call('GET', '/api/v1/keys')).body.data).toHaveLength(keysLeft);
  expect((await auditOf(owner)).pagination.total).toBe(total + (kind === 'audited' ? 1 : 0));
});

test('what asks another service first, and has no time left for its change, changes nothing and may come again', async () => {
  const send = serveEndpoints(
    service,
    { deleteKey },
    {
      deleteKey: {
        askFirst:
          async (_, { params: { id } }) =>
          async (tx) => {
            await tx.delete(apiKeys).where(eq(apiKeys.id, id));
            markUnchanged(tx);
            await Bun.sleep(1000);
            return { id, deleted: true as const };
          },
      },
    },
    0.1,
  );
  const owner = await service.newTenant();
  const reply = await send(owner, 'DELETE', `/keys/${owner.keyId}`);
  expect([reply.status, reply.headers.has('retry-after')]).toEqual([429, true]);
  expect((await owner.call('GET', '/api/v1/keys')).body.data).toHaveLength(1);
});
