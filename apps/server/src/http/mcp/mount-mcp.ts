import type { McpServerOptions } from '@holdfast/mcp';
import { createHoldfast } from '@holdfast/sdk';
import type { Context, Hono } from 'hono';
import { once } from '../../kernel/concurrency.ts';
import type { Log } from '../../kernel/log.ts';
import { bearerToken } from '../auth/api-key.ts';
import {
  type AuthScheme,
  authenticateRequest,
  type RateLimitDependencies,
} from '../auth/auth-scheme.ts';
import type { HttpEnv } from '../context.ts';
import { createCallLimit, type HoldCall } from './call-limit.ts';
import { type RefusedMessage, readMessage } from './read-message.ts';

const mcpPath = '/mcp';

/** Per account and process: calls may wait for a job, so they are not as short as those of the API. */
const mostCallsAtOnce = 64;
/** Longer than the longest wait of a tool. */
const idleSeconds = 45;

type McpDependencies = RateLimitDependencies & { baseUrl: string; log: Log };

/**
 * The Model Context Protocol over streamable HTTP, by API key. A tool calls the API of this process by the
 * same key, through the whole pipeline: scopes, plan, limits, audit entries are those of the API, and its
 * requests draw from the key's budget. Messages have a budget of the same size, so that those which call
 * nothing are bounded too. There are no sessions and no streams but answers: any process serves any request.
 */
export const mountMcp = (
  app: Hono<HttpEnv>,
  apiKeys: AuthScheme,
  { baseUrl, log, ...rateLimit }: McpDependencies,
): void => {
  const { origin } = new URL(baseUrl);
  const limitCalls = createCallLimit(mostCallsAtOnce);
  // The catalog is built when the first assistant connects, not at every start.
  const load = once(() => import('@holdfast/mcp'));

  app.use(mcpPath, async (context, next) => {
    context.set('operation', 'mcp');
    if (context.req.method === 'OPTIONS') return sendNothing(context, 204);
    if (context.req.method !== 'POST') {
      return refuse(context, { status: 405, code: -32000, message: 'Send messages by POST' });
    }
    // A page of another site that reached this address by a name of its own (DNS rebinding).
    if (![undefined, origin].includes(context.req.header('origin'))) {
      return refuse(context, { status: 403, code: -32000, message: 'Wrong Origin' });
    }
    await next();
  });
  app.use(mcpPath, authenticateRequest(messageScheme(apiKeys), rateLimit));
  app.post(mcpPath, (context) =>
    limitCalls(context.get('caller').accountId, async (hold) => {
      const read = await readMessage(context.req.raw);
      if ('refusal' in read) return refuse(context, read.refusal);
      context.env.keepOpen?.(idleSeconds);
      const { handleMcpRequest } = await load();
      const options = {
        ...serverOptions(app, context, { baseUrl, hold }),
        onFailure: (err: unknown) =>
          log.error({ requestId: context.get('requestId'), err }, 'a tool failed'),
      };
      const answer = await handleMcpRequest(context.req.raw, read.message, options);
      return withHeaders(context, answer);
    }),
  );
};

/** The same keys with budgets of their own: a call of a tool is counted by the API, and not twice. */
const messageScheme = (apiKeys: AuthScheme): AuthScheme => ({
  ...apiKeys,
  budgetsOf(caller) {
    const [own, ...shared] = apiKeys.budgetsOf(caller);
    const ofMessages = ({ id, limit }: typeof own) => ({ id: `mcp:${id}`, limit });
    return [ofMessages(own), ...shared.map(ofMessages)];
  },
});

const serverOptions = (
  app: Hono<HttpEnv>,
  { req, env }: Context<HttpEnv>,
  { baseUrl, hold }: { baseUrl: string; hold: HoldCall },
): Omit<McpServerOptions, 'onFailure'> => {
  const key = bearerToken(req.raw.headers.get('authorization')) ?? '';
  const forwardedFor = req.header('x-forwarded-for');
  const fetchOwn = async (url: string, init: RequestInit = {}): Promise<Response> => {
    // For a caller who is gone nothing more is begun.
    req.raw.signal.throwIfAborted();
    const headers = new Headers(init.headers);
    if (forwardedFor !== undefined) headers.set('x-forwarded-for', forwardedFor);
    const request = new Request(url, { ...init, headers });
    return hold(Promise.resolve(app.fetch(request, { peerAddress: env.peerAddress })));
  };
  return {
    key,
    // The assistant is told of 429 and decides itself; a repeat would not help within a process.
    holdfast: createHoldfast({ baseUrl, key, fetch: fetchOwn, retries: 0, maxWaitMs: 0 }),
    async readDocument(path) {
      const response = await fetchOwn(new URL(path, baseUrl).href);
      return response.ok ? response.text() : undefined;
    },
  };
};

const withHeaders = (context: Context<HttpEnv>, answer: Response): Response => {
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(context.get('headers'))) headers.set(name, value);
  // A proxy would collect the reports of progress until the end.
  headers.set('X-Accel-Buffering', 'no');
  return new Response(answer.body, { status: answer.status, headers });
};

const refuse = (context: Context<HttpEnv>, { status, code, message }: RefusedMessage): Response => {
  const headers = { ...context.get('headers'), ...(status === 405 && { Allow: allowed }) };
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
};

const allowed = 'POST, OPTIONS';

/** No other site may call it from a browser, so there is nothing to allow beyond the methods. */
const sendNothing = (context: Context<HttpEnv>, status: number): Response =>
  new Response(null, { status, headers: { ...context.get('headers'), Allow: allowed } });
