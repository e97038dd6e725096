import {
  type Endpoint,
  hasScope,
  isAudited,
  isHeavyRead,
  type Plan,
  type PlanName,
} from '@holdfast/contract';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database, Queryable, Transaction } from '../db/connect.ts';
import { DatabaseUnreachable } from '../db/failures.ts';
import type { Replica } from '../db/replica/replica.ts';
import { type Deadline, DeadlinePassed, withinDeadline } from '../kernel/deadline.ts';
import { conflict, forbidden, missingScope, notFound } from '../kernel/errors.ts';
import { isAccountedFor } from './audited.ts';
import {
  type AuthScheme,
  admitCaller,
  authenticateRequest,
  type RateLimitDependencies,
} from './auth/auth-scheme.ts';
import { createFreshCodeCheck, requireFreshCode } from './auth/second-factor.ts';
import type { Caller, HttpEnv } from './context.ts';
import { answerEncoder, type JsonAnswer, sendAnswer } from './endpoint/answer.ts';
import { answerOnce } from './endpoint/idempotency.ts';
import { type Input, readInput } from './endpoint/read-input.ts';
import { createFrame, type FrameDependencies } from './frame.ts';
import type { Account, ApiRequest, EarlyRequest, Handlers, OwnedServer } from './handler.ts';
import { type AccountConcurrency, throwTooHeavy } from './limits/account-concurrency.ts';
import { findStoredAnswer } from './queries.ts';
import { createRouteTable, mountRouteTable } from './route-table.ts';

/** The time after `ms` is for a commit that has begun, so that its outcome is the answer. */
const handlerDeadline = { ms: 4500, lastMs: 4900 };

const deadlineOf = ({ patience = 1 }: PipelineDependencies) => ({
  ms: handlerDeadline.ms * patience,
  lastMs: handlerDeadline.lastMs * patience,
});

/** What the pipeline needs of the features; `main` hands it in. */
type PipelineDependencies = RateLimitDependencies &
  FrameDependencies & {
    db: Database;
    /** Where the operator has a standby for lists and searches. */
    replica?: Replica | undefined;
    isDatabaseReachable(): boolean;
    concurrency: AccountConcurrency;
    limitsOf(plan: PlanName): Plan;
    /** False where the account was deleted; otherwise it cannot be until the transaction ends. */
    holdAccount(tx: Transaction, accountId: string): Promise<boolean>;
    /** Multiplies the time limits: tests run in parallel on a loaded machine. */
    patience?: number;
    /** Inside a transaction the server's row is locked, so that it cannot be deleted meanwhile. */
    findOwnedServer(
      db: Queryable,
      owner: { accountId: string; serverId: string },
    ): Promise<OwnedServer | undefined>;
  };

/** The common type of all handlers, after each was checked against its own endpoint. */
type AnyAct = (db: Queryable, request: ApiRequest) => Promise<unknown>;
type AnyHandler = AnyAct | { askFirst(db: Database, request: EarlyRequest): Promise<AnyAct> };

/**
 * Every request passes the same steps, and the first that fails gives the answer: authenticate, rate
 * limit, route, scope, second factor, input, owner, plan. What is left for the handler is its own state.
 */
export const mountEndpoints = <Endpoints extends Record<string, Endpoint>>(
  app: Hono<HttpEnv>,
  scheme: AuthScheme,
  endpoints: Endpoints,
  handlers: Handlers<Endpoints>,
  dependencies: PipelineDependencies,
): void => {
  const { prefix } = scheme;
  const table = createRouteTable();
  for (const [name, entry] of Object.entries(endpoints)) {
    // Each handler was checked against its own entry by the type of `handlers`.
    const handler = handlers[name] as unknown as AnyHandler;
    const refuseCaller = scheme.refuse;
    const handle = handleEndpoint(name, entry, handler, { ...dependencies, refuseCaller });
    const act = entry.upload ? withinUploads(handle, dependencies) : handle;
    table.add(entry.method, `${prefix}${entry.path}`, async (context) => {
      await admitCaller(context, scheme, dependencies);
      return act(context);
    });
  }
  mountRouteTable(app, { prefix, table, frame: createFrame(dependencies) });
  app.use(`${prefix}/*`, authenticateRequest(scheme, dependencies));
  app.all(`${prefix}/*`, () => {
    throw notFound('Route');
  });
};

type Handle = (context: Context<HttpEnv>) => Promise<Response>;

/** The body is not read before there is room for it. */
const withinUploads =
  (handle: Handle, { concurrency }: PipelineDependencies): Handle =>
  (context) =>
    concurrency.limitUploads(context.get('caller').accountId, () => handle(context));

type EndpointDependencies = PipelineDependencies & { refuseCaller(): Error };

const handleEndpoint = (
  name: string,
  entry: Endpoint,
  handler: AnyHandler,
  dependencies: EndpointDependencies,
): Handle => {
  const encode = answerEncoder(entry);
  const { limitChanges, limitHeavyReads, limitExternalCalls } = dependencies.concurrency;
  const mayTakeLong = isHeavyRead(entry) || entry.upload !== undefined;
  const replica = entry.mayReadStandby ? dependencies.replica : undefined;
  const mustBeAudited = isAudited(entry);

  return async (context) => {
    context.set('operation', name);
    const caller = context.get('caller');
    if (!hasScope(caller.scopes, entry.scope)) throw missingScope(entry.scope, caller.scopes);
    requireFreshCode(entry, caller);
    const input = await readInput(entry, context.req);
    const codeCheck = createFreshCodeCheck(entry, caller, input.body);
    codeCheck.requireForFields();
    // The body was read to its end, so the connection can carry another request.
    if (entry.body) context.get('headers').Connection = 'keep-alive';
    if (!dependencies.isDatabaseReachable()) throw new DatabaseUnreachable();

    const early = earlyRequest(caller, input, dependencies);
    // Until its commit begins nothing can have been changed.
    let mayComeAgain = 'askFirst' in handler;
    const answer = await withinDeadline(deadlineOf(dependencies), async (deadline) => {
      const act =
        'askFirst' in handler
          ? await limitExternalCalls(caller.accountId, async () =>
              (await wasAnswered(dependencies.db, caller, input))
                ? refuseRepetition
                : handler.askFirst(dependencies.db, early),
            )
          : handler;
      const run = async (db: Queryable): Promise<JsonAnswer> => {
        const server = await findServer(db, entry, early, dependencies);
        requireFeature(entry, early.account);
        const { requireCodeForChanges, requireCompared } = codeCheck.forChanges();
        // Whether an endpoint has a server is in its entry, from which its handler's type is derived.
        const request = { ...early, server, requireCodeForChanges } as ApiRequest;
        const result = await (replica
          ? replica.read((from) => act(from, request))
          : act(db, request));
        requireCompared();
        return encode(result, input.query);
      };
      if (isHeavyRead(entry)) {
        return limitHeavyReads(caller.accountId, () => run(dependencies.db));
      }
      if (entry.method === 'GET') return run(dependencies.db);
      const change = async (tx: Transaction): Promise<JsonAnswer> => {
        const changed = await run(tx);
        if (mustBeAudited && !isAccountedFor(tx)) throw new Error(`${name} made no audit entry`);
        return changed;
      };
      return limitChanges(caller.accountId, () =>
        runInTransaction(dependencies, entry, caller, input, change, {
          ...deadline,
          tryExtend() {
            mayComeAgain = false;
            return deadline.tryExtend();
          },
        }),
      );
    }).catch((error: unknown) => {
      // Whoever waits in vain for what another holds is told so: 503.
      const isLate = mayComeAgain && error instanceof DeadlinePassed;
      if (mayTakeLong || isLate) throwTooHeavy(dependencies)(error);
      throw error;
    });
    return sendAnswer(context, answer);
  };
};

/** A repeated request must not ask another service again: it gets the stored answer. */
const wasAnswered = async (
  db: Database,
  { id: callerId }: Caller,
  { idempotencyKey }: Input,
): Promise<boolean> =>
  idempotencyKey !== undefined &&
  (await findStoredAnswer(db, { callerId, idempotencyKey })) !== undefined;

/** Reached only if the stored answer ran out in between. */
const refuseRepetition: AnyAct = async () => {
  throw conflict('The answer to this Idempotency-Key is no longer kept: use a new one');
};

const earlyRequest = (
  { id, accountId, plan, actor, scopes, expiresAt, secondFactor }: Caller,
  { params, query, body }: Input,
  { limitsOf }: PipelineDependencies,
): EarlyRequest => {
  const account = { accountId, plan, limits: limitsOf(plan) };
  const caller = { id, scopes, expiresAt, secondFactor };
  // The entry's own schemas made these; each handler's type is derived from the same entry.
  return { account, actor, caller, params, query, body } as EarlyRequest;
};

const findServer = async (
  db: Queryable,
  entry: Endpoint,
  { account, params }: EarlyRequest,
  { findOwnedServer }: PipelineDependencies,
): Promise<OwnedServer | undefined> => {
  if (entry.owner !== 'server') return undefined;
  const { id: serverId } = z.object({ id: z.string() }).parse(params);
  const server = await findOwnedServer(db, { accountId: account.accountId, serverId });
  if (!server) throw notFound('Server');
  return server;
};

const requireFeature = ({ feature }: Endpoint, { plan, limits }: Account): void => {
  if (feature && !limits[feature]) {
    throw forbidden(`The ${plan} plan does not include this feature`);
  }
};

/**
 * One transaction for the change, its audit entry, its jobs and the answer stored for a repeat. The
 * account is locked first: a change is committed before the account's deletion, or refused.
 */
const runInTransaction = (
  { db, holdAccount, refuseCaller }: EndpointDependencies,
  entry: Endpoint,
  { id: callerId, accountId }: Caller,
  { idempotencyKey, params, query, bodyIdentity }: Input,
  run: (tx: Transaction) => Promise<JsonAnswer>,
  deadline: Deadline,
): Promise<JsonAnswer> =>
  db.transaction(async (tx) => {
    // It may have waited for its connection, or be a repetition after a conflict.
    if (deadline.isPassed()) throw tooLate();
    if (!(await holdAccount(tx, accountId))) throw refuseCaller();
    const { method, path, showsSecret = false, namesPeople = false } = entry;
    const request = [method, path, params, query, bodyIdentity];
    const peopleOfAccountId = namesPeople ? accountId : null;
    const repeatable = { callerId, request, showsSecret, peopleOfAccountId };
    const answer =
      idempotencyKey === undefined
        ? await run(tx)
        : await answerOnce(tx, { ...repeatable, idempotencyKey }, () => run(tx));
    // The client got a 500 already: roll back, so that nothing changes after that.
    if (!deadline.tryExtend()) throw tooLate();
    return answer;
  });

const tooLate = () => new Error('The answer came too late');
