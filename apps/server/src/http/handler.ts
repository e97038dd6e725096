import type { ActorType, Endpoint, Plan, PlanName } from '@holdfast/contract';
import type { z } from 'zod';
import type { Database, Transaction } from '../db/connect.ts';

/** Who acts, as the audit log names them. */
export type Actor = { type: ActorType; id: string | null };

export type Account = { accountId: string; plan: PlanName; limits: Plan };

/** A server of the caller, found by the ladder. */
export type OwnedServer = { id: string; accountId: string };

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type Part<E extends Endpoint, Name extends 'params' | 'query' | 'body'> =
  E extends Record<Name, infer Schema> ? Parsed<Schema> : undefined;

/** What a handler is given: everything parsed, the caller known, the owner checked. */
export type ApiRequest<E extends Endpoint = Endpoint> = {
  account: Account;
  actor: Actor;
  /** The key or session it came by: what it may do, and until when. */
  caller: { id: string; scopes: readonly string[]; expiresAt: Date | null };
  params: Part<E, 'params'>;
  query: Part<E, 'query'>;
  body: Part<E, 'body'>;
  server: E extends { owner: 'server' } ? OwnedServer : undefined;
  /**
   * Refuses unless a fresh code was shown, where the body would change the stored record in a way that
   * the entry lists under `whenChanges`. The handlers of such entries must call it.
   */
  requireCodeForChanges(stored: object): void;
};

/** What it gives back: the value under `data`, or a page of them. */
export type Answer<E extends Endpoint> = E extends { paginated: true }
  ? { rows: z.output<E['data']>[]; total: number }
  : z.output<E['data']>;

/** A GET reads the database; everything else runs inside one transaction that the ladder opened. */
export type Act<E extends Endpoint> = (
  db: E extends { method: 'GET' } ? Database : Transaction,
  request: ApiRequest<E>,
) => Promise<Answer<E>>;

/** What is known before the transaction: the owner of what the path names is not looked up yet. */
export type EarlyRequest<E extends Endpoint = Endpoint> = Omit<
  ApiRequest<E>,
  'server' | 'requireCodeForChanges'
>;

/**
 * A transaction holds only SQL. A handler that must ask the outside world does so first, and what
 * it learned decides how it acts; refusals are for the act, so that a repeated request is answered
 * as it was the first time.
 */
export type AskFirst<E extends Endpoint> = {
  askFirst(db: Database, request: EarlyRequest<E>): Promise<Act<E>>;
};

export type Handler<E extends Endpoint> = Act<E> | AskFirst<E>;

export type Handlers<Endpoints extends Record<string, Endpoint>> = {
  [Name in keyof Endpoints]: Handler<Endpoints[Name]>;
};
