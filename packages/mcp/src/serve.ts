import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpServerOptions } from './server.ts';

// Nothing changes that a client could subscribe to, so no stream is left open.
const limits = { maxSubscriptions: 0 };

/** Serves the process that started this one, until standard input ends. */
export const serveMcpStdio = async (options: McpServerOptions): Promise<void> => {
  const handle = serveStdio(() => createMcpServer(options), limits);
  await new Promise((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
  });
  await handle.close();
};

/**
 * Answers one POST, whose body was read and parsed. Nothing is kept between requests, so every process of
 * a service can answer each of them; clients of the revisions before 2026-07-28 get no session either.
 */
export const handleMcpRequest = (
  request: Request,
  parsedBody: unknown,
  options: McpServerOptions,
): Promise<Response> =>
  createMcpHandler(() => createMcpServer(options), limits).fetch(request, { parsedBody });
