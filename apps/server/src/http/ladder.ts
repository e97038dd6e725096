import {
  answerBody,
  apiPrefix,
  type Endpoint,
  holdsScope,
  type Plan,
  type PlanName,
} from '@holdfast/contract';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database, Transaction } from '../db/connect.ts';
import { withinDeadline } from '../kernel/deadline.ts';
import { missingScope, notFound, planRefuses } from '../kernel/errors.ts';
import { type Admission, admit, type HttpEnv } from './admission.ts';
import type { ApiRequest, Handlers, OwnedServer } from './handler.ts';
import { answerOnce, type JsonAnswer, readIdempotencyKey } from './idempotency.ts';
import { type Input, parseInput } from './parse-input.ts';
import { readJsonObject } from './read-body.ts';

const handlerDeadlineMs = 4500;

/** What the ladder needs of the rooms above it; `main` hands it in. */
export type LadderTools = Admission & {
  db: Database;
  isDatabaseReachable(): boolean;
  /** Inside a transaction the server's row is held, so that it cannot be deleted meanwhile. */
  findOwnedServer(
    db: Database | Transaction,
    owner: { userId: string; serverId: string },
  ): Promise<OwnedServer | undefined>;
};

/** The uniform shape of all handlers, once their particular types were checked where they stand. */
type AnyHandler = (db: Database | Transaction, request: ApiRequest) => Promise<unknown>;

/**
 * Every request below /api/v1 climbs the same steps: authenticate, count, find the route, scope,
 * parse, owner, plan; what is left for the handler is its own state.
 */
export const mountApi = <Endpoints extends Record<string, Endpoint>>(
  app: Hono<HttpEnv>,
  endpoints: Endpoints,
  handlers: Handlers<Endpoints>,
  tools: LadderTools,
): void => {
  app.use(`${apiPrefix}/*`, admit(tools));
  for (const [name, entry] of Object.entries(endpoints)) {
    // Each handler was checked against its own entry by the type of `handlers`.
    const handler = handlers[name] as unknown as AnyHandler;
    app.on(entry.method, `${apiPrefix}${entry.path}`, climb(name, entry, handler, tools));
  }
  app.all(`${apiPrefix}/*`, () => {
    throw notFound('Route');
  });
};

const climb = (name: string, entry: Endpoint, handler: AnyHandler, tools: LadderTools) => {
  const encode = answerEncoder(entry);
  const isRead = entry.method === 'GET';

  return async (context: Context<HttpEnv>): Promise<Response> => {
    context.set('operation', name);
    const caller = context.get('caller');
    if (!holdsScope(caller.scopes, entry.scope)) throw missingScope(entry.scope, caller.scopes);

    const body = entry.body ? await readJsonObject(context.req.raw) : undefined;
    const url = context.req.url;
    const query = url.includes('?') ? url.slice(url.indexOf('?')).replace(/#.*$/, '') : '';
    const input = parseInput(entry, { params: context.req.param(), query, body });
    const idempotencyKey =
      entry.method === 'POST'
        ? readIdempotencyKey(context.req.raw.headers.get('idempotency-key'))
        : undefined;

    if (!tools.isDatabaseReachable()) throw new Error('The database does not answer');
    const effects: (() => void)[] = [];
    const answer = await withinDeadline(handlerDeadlineMs, (signal) => {
      const run = (db: Database | Transaction) =>
        runHandler(db, entry, handler, encode, { context, input, tools, effects });
      if (isRead) return run(tools.db);
      return tools.db.transaction(async (tx) => {
        const result =
          idempotencyKey === undefined
            ? await run(tx)
            : await answerOnce(
                tx,
                {
                  callerId: caller.keyId,
                  idempotencyKey,
                  method: entry.method,
                  path: context.req.path + query,
                  body,
                  showsSecret: entry.showsSecret === true,
                },
                () => run(tx),
              );
        // Nobody waits for the answer any more: take it back rather than surprise them later.
        signal.throwIfAborted();
        return result;
      });
    });
    for (const effect of effects) effect();
    return send(context, answer);
  };
};

type Climb = {
  context: Context<HttpEnv>;
  input: Input;
  tools: LadderTools;
  effects: (() => void)[];
};

const runHandler = async (
  db: Database | Transaction,
  entry: Endpoint,
  handler: AnyHandler,
  encode: (result: unknown, input: Input) => JsonAnswer,
  { context, input, tools, effects }: Climb,
): Promise<JsonAnswer> => {
  const { userId, plan, scopes, keyId } = context.get('caller');
  const limits = tools.limitsOf(plan);
  const server = await findServer(db, entry, userId, input, tools);
  requireFeature(entry, plan, limits);
  const result = await handler(db, {
    account: { userId, plan, limits },
    actor: { type: 'KEY', id: keyId },
    scopes,
    // The entry's own schemas made these; the handler's type is derived from the same entry.
    ...(input as Pick<ApiRequest, 'params' | 'query' | 'body'>),
    server: server as undefined,
    afterCommit: (effect) => effects.push(effect),
  });
  return encode(result, input);
};

const findServer = async (
  db: Database | Transaction,
  entry: Endpoint,
  userId: string,
  { params }: Input,
  tools: LadderTools,
): Promise<OwnedServer | undefined> => {
  if (entry.owner !== 'server') return undefined;
  const { id: serverId } = z.object({ id: z.string() }).parse(params);
  const server = await tools.findOwnedServer(db, { userId, serverId });
  if (!server) throw notFound('Server');
  return server;
};

const requireFeature = (entry: Endpoint, plan: PlanName, limits: Plan): void => {
  if (entry.feature && !limits[entry.feature]) {
    throw planRefuses(`The ${plan} plan does not include this feature`);
  }
};

/** Only what the contract names can leave: everything else is stripped here. */
const answerEncoder = (entry: Endpoint) => {
  const schema = answerBody(entry);
  return (result: unknown, { query }: Input): JsonAnswer => {
    const body = entry.paginated ? pageBody(result, query) : { data: result };
    return { status: entry.status, body: JSON.stringify(z.encode(schema, body)) };
  };
};

const pageBody = (result: unknown, query: unknown) => {
  // Both shapes are fixed by the contract for every paginated entry.
  const { rows, total } = result as { rows: unknown[]; total: number };
  const { page, limit } = query as { page: number; limit: number };
  return { data: rows, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
};

const send = (context: Context<HttpEnv>, { status, body, isReplayed }: JsonAnswer): Response => {
  context.header('Content-Type', 'application/json');
  if (isReplayed) context.header('Idempotency-Replayed', 'true');
  return context.body(body, status as 200);
};
