import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The official client, speaking the newest revision that both know, or that of 2025. */
const newClient = (mode: 'auto' | 'legacy') =>
  new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });

export const connectHttp = async (
  url: string,
  key: string,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> => {
  const client = newClient(mode);
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
  );
  return client;
};

/** Starts `program` by Bun, with these variables of the environment. */
export const connectStdio = async (
  args: string[],
  env: Record<string, string>,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> => {
  const client = newClient(mode);
  const transport = new StdioClientTransport({ command: process.execPath, args, env });
  await client.connect(transport);
  return client;
};
