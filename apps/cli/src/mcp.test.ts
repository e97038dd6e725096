import { afterAll, beforeAll, expect, test } from 'bun:test';
import { callTool } from '../../../packages/mcp/test/call-tool.ts';
import { connectStdio } from '../../../packages/mcp/test/connect.ts';
import { createServer } from '../../server/test/harness/bots-and-servers.ts';
import { type CliService, startCliService } from '../test/cli-service.ts';
import { builtCli } from '../test/run-cli.ts';

let service: CliService;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service.stop());

test.each(['auto', 'legacy'] as const)(
  'an assistant starts the program and calls its tools by the revision of %s',
  async (mode) => {
    const tenant = await service.newTenant({ scopes: ['servers:read'] });
    const owner = await service.newKey(tenant, ['*']);
    await createServer(owner, { name: 'Harbour' });
    const env = { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: tenant.key, HOME: '/nonexistent' };
    const client = await connectStdio([await builtCli(), 'mcp'], env, mode);
    expect((await client.listTools()).tools).toHaveLength(12);
    const status = await callTool(client, 'server_status');
    expect(status.content.untrustedData.servers).toMatchObject([{ name: 'Harbour' }]);
    const [{ id: serverId }] = status.content.untrustedData.servers;
    const refused = await callTool(client, 'back_up', { serverId });
    expect(refused.content.error).toMatchObject({ requiredScope: 'backups:write' });
    const { contents } = await client.readResource({ uri: 'holdfast://openapi.json' });
    expect(JSON.stringify(contents)).toContain('openapi');
    await client.close();
  },
);

test('without a key it ends at once, and says why on standard error only', async () => {
  const { exitCode, stdout, stderr } = await service.runAs({ key: '' }, 'mcp');
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toContain('not signed in');
});
