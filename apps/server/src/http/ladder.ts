import {
  type Endpoint,
  holdsScope,
  isHeavyRead,
  type Plan,
  type PlanName,
} from '@holdfast/contract';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database, Transaction } from '../db/connect.ts';
import { DatabaseUnreachable } from '../db/failures.ts';
import { type Deadline, withinDeadline } from '../kernel/deadline.ts';
import { missingScope, notFound, planRefuses } from '../kernel/errors.ts';
import { type Admission, admit, type Entrance, type HttpEnv } from './admission.ts';
import { answerEncoder, type JsonAnswer, sendAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import { createCodeCheck, requireCodeAtOnce } from './fresh-code.ts';
import type { Account, ApiRequest, EarlyRequest, Handlers, OwnedServer } from './handler.ts';
import { answerOnce } from './idempotency.ts';
import { type ReadInput, readInput } from './read-input.ts';
import { refuseTooHeavy } from './too-heavy.ts';
import type { AccountTurns } from './turns.ts';

/** A commit that has begun gets the last part of it, so that its outcome is the answer. */
const handlerDeadline = { ms: 4500, lastMs: 4900 };

const deadlineOf = ({ patience = 1 }: LadderTools) => ({
  ms: handlerDeadline.ms * patience,
  lastMs: handlerDeadline.lastMs * patience,
});

/** What the ladder needs of the rooms above it; `main` hands it in. */
export type LadderTools = Admission & {
  db: Database;
  isDatabaseReachable(): boolean;
  turns: AccountTurns;
  limitsOf(plan: PlanName): Plan;
  /** False where the account was deleted; otherwise it cannot be until the transaction ends. */
  holdAccount(tx: Transaction, accountId: string): Promise<boolean>;
  /** How many times longer than usual a request may take: tests run beside others, which costs time. */
  patience?: number;
  /** Inside a transaction the server's row is held, so that it cannot be erased meanwhile. */
  findOwnedServer(
    db: Database | Transaction,
    owner: { accountId: string; serverId: string },
  ): Promise<OwnedServer | undefined>;
};

/** The uniform shape of all handlers, once their particular types were checked where they stand. */
type AnyAct = (db: Database | Transaction, request: ApiRequest) => Promise<unknown>;
type AnyHandler = AnyAct | { askFirst(db: Database, request: EarlyRequest): Promise<AnyAct> };

/**
 * Every request through an entrance climbs the same steps: authenticate, count, find the route, scope,
 * parse, owner, plan; what is left for the handler is its own state.
 */
export const mountApi = <Endpoints extends Record<string, Endpoint>>(
  app: Hono<HttpEnv>,
  entrance: Entrance,
  endpoints: Endpoints,
  handlers: Handlers<Endpoints>,
  tools: LadderTools,
): void => {
  const { prefix } = entrance;
  app.use(`${prefix}/*`, admit(entrance, tools));
  for (const [name, entry] of Object.entries(endpoints)) {
    // Each handler was checked against its own entry by the type of `handlers`.
    const handler = handlers[name] as unknown as AnyHandler;
    app.on(
      entry.method,
      `${prefix}${entry.path}`,
      climb(name, entry, handler, { ...tools, refuseCaller: entrance.refuse }),
    );
  }
  app.all(`${prefix}/*`, () => {
    throw notFound('Route');
  });
};

type ClimbTools = LadderTools & { refuseCaller(): Error };

const climb = (name: string, entry: Endpoint, handler: AnyHandler, tools: ClimbTools) => {
  const encode = answerEncoder(entry);
  const { changeInTurn, readInTurn, askInTurn } = tools.turns;

  return async (context: Context<HttpEnv>): Promise<Response> => {
    context.set('operation', name);
    const caller = context.get('caller');
    if (!holdsScope(caller.scopes, entry.scope)) throw missingScope(entry.scope, caller.scopes);
    requireCodeAtOnce(entry, caller);
    const input = await readInput(entry, context.req);
    const codeCheck = createCodeCheck(entry, caller, input.body);
    codeCheck.byFields();
    // The body was read to its end: the connection is good for another request.
    if (entry.body) context.get('headers').Connection = 'keep-alive';
    if (!tools.isDatabaseReachable()) throw new DatabaseUnreachable();

    const early = earlyRequest(caller, input, tools);
    const answer = await withinDeadline(deadlineOf(tools), async (deadline) => {
      const act =
        'askFirst' in handler
          ? await askInTurn(caller.accountId, () => handler.askFirst(tools.db, early))
          : handler;
      const run = async (db: Database | Transaction): Promise<JsonAnswer> => {
        const server = await findServer(db, entry, early, tools);
        requireFeature(entry, early.account);
        const { requireCodeForChanges, demandLookedAt } = codeCheck.ofChanges();
        // Whether an endpoint has a server is in its entry, from which its handler's type is derived.
        const request = { ...early, server, requireCodeForChanges } as ApiRequest;
        const answer = await act(db, request);
        demandLookedAt();
        return encode(answer, input.query);
      };
      if (isHeavyRead(entry)) return readInTurn(caller.accountId, () => run(tools.db));
      if (entry.method === 'GET') return run(tools.db);
      return changeInTurn(caller.accountId, () =>
        runInTransaction(tools, entry, caller, input, run, deadline),
      );
    }).catch(isHeavyRead(entry) ? refuseTooHeavy(tools) : throwOn);
    return sendAnswer(context, answer);
  };
};

const throwOn = (error: unknown): never => {
  throw error;
};

const earlyRequest = (
  { id, accountId, plan, actor, scopes, expiresAt }: Caller,
  { params, query, body }: ReadInput,
  tools: LadderTools,
): EarlyRequest => {
  const account = { accountId, plan, limits: tools.limitsOf(plan) };
  const caller = { id, scopes, expiresAt };
  // The entry's own schemas made these; each handler's type is derived from the same entry.
  return { account, actor, caller, params, query, body } as EarlyRequest;
};

const findServer = async (
  db: Database | Transaction,
  entry: Endpoint,
  { account, params }: EarlyRequest,
  tools: LadderTools,
): Promise<OwnedServer | undefined> => {
  if (entry.owner !== 'server') return undefined;
  const { id: serverId } = z.object({ id: z.string() }).parse(params);
  const server = await tools.findOwnedServer(db, { accountId: account.accountId, serverId });
  if (!server) throw notFound('Server');
  return server;
};

const requireFeature = ({ feature }: Endpoint, { plan, limits }: Account): void => {
  if (feature && !limits[feature]) {
    throw planRefuses(`The ${plan} plan does not include this feature`);
  }
};

/**
 * The change, its audit entry, its jobs and the answer kept for a repeat: all or none. The account is
 * held first: a change is committed before the account's deletion, or refused.
 */
const runInTransaction = (
  { db, holdAccount, refuseCaller }: ClimbTools,
  entry: Endpoint,
  { id: callerId, accountId }: Caller,
  { idempotencyKey, params, query, body }: ReadInput,
  run: (tx: Transaction) => Promise<JsonAnswer>,
  deadline: Deadline,
): Promise<JsonAnswer> =>
  db.transaction(async (tx) => {
    // It may have waited for its connection, or lost to another transaction and be run again.
    if (deadline.isPassed()) throw tooLate();
    if (!(await holdAccount(tx, accountId))) throw refuseCaller();
    const { method, path, showsSecret = false, namesPeople = false } = entry;
    const request = [method, path, params, query, body];
    const peopleOfUserId = namesPeople ? accountId : null;
    const repeatable = { callerId, request, showsSecret, peopleOfUserId };
    const answer =
      idempotencyKey === undefined
        ? await run(tx)
        : await answerOnce(tx, { ...repeatable, idempotencyKey }, () => run(tx));
    // Nobody waits for the answer any more: take it back rather than surprise them later.
    if (!deadline.isKept()) throw tooLate();
    return answer;
  });

const tooLate = () => new Error('The answer came too late');
