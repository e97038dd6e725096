import type { ActorType, Endpoint, Plan, PlanName } from '@holdfast/contract';
import type { z } from 'zod';
import type { Database, Transaction } from '../db/connect.ts';
import type { EncodedAnswer } from './endpoint/encoded-answer.ts';

/** Who makes a change, as the audit log records it. */
export type Actor = { type: ActorType; id: string | null };

/** What is known of a second factor: `due` where there is one and no fresh code was shown. */
export type SecondFactor = 'off' | 'due' | 'shown';

export type Account = { accountId: string; plan: PlanName; limits: Plan };

/** A server of the caller, found by the pipeline. */
export type OwnedServer = { id: string; accountId: string };

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type Part<E extends Endpoint, Name extends 'params' | 'query' | 'body'> =
  E extends Record<Name, infer Schema> ? Parsed<Schema> : undefined;

/** A handler's request: the input is parsed, the caller authenticated, the owner checked. */
export type ApiRequest<E extends Endpoint = Endpoint> = {
  account: Account;
  actor: Actor;
  /** The key or session: its scopes and its end, and whether a session showed a second factor. */
  caller: {
    id: string;
    scopes: readonly string[];
    expiresAt: Date | null;
    secondFactor: SecondFactor;
  };
  params: Part<E, 'params'>;
  query: Part<E, 'query'>;
  body: Part<E, 'body'>;
  server: E extends { owner: 'server' } ? OwnedServer : undefined;
  /**
   * Demands a fresh second factor where the body would change the stored record in a field that the
   * endpoint lists under `whenChanges`. The handlers of such endpoints must call it.
   */
  requireCodeForChanges(stored: object): void;
};

/** A handler's result: the value under `data`, or a page of them. */
type Answer<E extends Endpoint> = E extends { paginated: true }
  ? { rows: z.output<E['data']>[]; total: number }
  : z.output<E['data']>;

/** A GET reads the database; everything else runs inside one transaction opened by the pipeline. */
type Act<E extends Endpoint> = (
  db: E extends { method: 'GET' } ? Database : Transaction,
  request: ApiRequest<E>,
) => Promise<Answer<E> | EncodedAnswer>;

/** The request before the transaction: the owner of the server in the path is not checked yet. */
export type EarlyRequest<E extends Endpoint = Endpoint> = Omit<
  ApiRequest<E>,
  'server' | 'requireCodeForChanges'
>;

/**
 * A transaction holds only SQL. A handler that must call the platform or another service does so in
 * `askFirst`, which returns the function to run in the transaction. Errors are thrown by that function,
 * so that a repeated request gets the stored answer instead.
 */
export type AskFirst<E extends Endpoint> = {
  askFirst(db: Database, request: EarlyRequest<E>): Promise<Act<E>>;
};

type Handler<E extends Endpoint> = Act<E> | AskFirst<E>;

export type Handlers<Endpoints extends Record<string, Endpoint>> = {
  [Name in keyof Endpoints]: Handler<Endpoints[Name]>;
};
