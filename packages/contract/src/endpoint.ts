import { z } from 'zod';
import { pagination } from './common.ts';
import type { FreshSecondFactor } from './fresh-second-factor.ts';
import type { PlanFeature } from './plans.ts';
import type { Scope } from './scopes.ts';

/**
 * What a call does to what is there. `destroys`: something is gone or overwritten afterwards that no
 * other call brings back, or work under way is given up. A PUT can be put back, so it `changes`.
 */
export type Effect = 'reads' | 'changes' | 'destroys';

/** One endpoint as data. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /api/v1, parameters as `:name`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  scope: Scope;
  /** Only where `effectOf` could not tell by the method. */
  effect?: Effect;
  /**
   * The same call again is refused though nothing went wrong: it ends what the caller is authenticated
   * by, or its code is used up. So after a lost response it is not repeated.
   */
  refusesRepeat?: boolean;
  /** Why a change makes no entry in the audit log. All others must: the service refuses to commit without it. */
  unaudited?: string;
  /** Whether a dashboard session must confirm with a code of its second factor first. */
  freshSecondFactor: FreshSecondFactor;
  /** `server`: the path's `:id` is a server of the caller, else 404. */
  owner?: 'server';
  /** Refused with 403 if the plan lacks it; checked after the owner. */
  feature?: PlanFeature;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType<object>;
  /** The body is a form (`multipart/form-data`) with one file instead of JSON. */
  upload?: { field: string; largestBytes: number };
  /** The body may hold far more values than any other. */
  holdsDocument?: boolean;
  /** Every field of the body is optional, so the body is too. */
  bodyOptional?: boolean;
  status: 200 | 201 | 202;
  /** The schema of `data`; of a paginated list, the schema of one element. */
  data: z.ZodType;
  paginated?: boolean;
  /** A read that costs more than a lookup. Paginated ones are always heavy. */
  heavy?: boolean;
  /**
   * Only reads rows, in no transaction and with no lock, and asks nobody else: a standby that has all that
   * was committed before the request may answer it. It may be read twice.
   */
  mayReadStandby?: boolean;
  /** The response shows a secret once, so it is not stored for a replay. */
  showsSecret?: boolean;
  /**
   * The response can name people. It is stored for a replay until a person of the account is erased;
   * a repeat then runs again, so it must be harmless.
   */
  namesPeople?: boolean;
  /** Descriptions of errors that are specific to this endpoint. */
  refusals?: Partial<Record<403 | 404 | 409 | 429, string>>;
  /** The body of its 409, if it has more than a message. */
  conflictBody?: z.ZodType;
};

/** Few of these run at once for one account; further ones wait, and then get 429. */
export const isHeavyRead = ({ method, paginated, heavy }: Endpoint): boolean =>
  method === 'GET' && (paginated === true || heavy === true);

/** Clients warn before they destroy, and ask nothing before they read. */
export const effectOf = ({ method, effect }: Endpoint): Effect => {
  if (effect !== undefined) return effect;
  if (method === 'GET') return 'reads';
  return method === 'DELETE' ? 'destroys' : 'changes';
};

export const isAudited = (entry: Endpoint): boolean =>
  effectOf(entry) !== 'reads' && entry.unaudited === undefined;

/**
 * Whether a person confirms it first: it destroys, or the dashboard asks for a code of the second factor,
 * if only for some input. Programs that act for somebody else show what it would do and wait for their yes.
 */
export const isGuarded = (entry: Endpoint): boolean =>
  effectOf(entry) === 'destroys' || entry.freshSecondFactor !== 'never';

/** Whether the same call twice leaves what one call leaves, without an `Idempotency-Key`. */
export const isIdempotent = (entry: Endpoint): boolean =>
  entry.method !== 'POST' || effectOf(entry) === 'reads';

type Defaults = Pick<Endpoint, 'tag' | 'status' | 'freshSecondFactor'>;

type EndpointInput = Omit<Endpoint, 'method' | keyof Defaults> & {
  status?: Endpoint['status'];
} & (
    | { method: 'GET'; freshSecondFactor?: undefined }
    | {
        method: Exclude<Endpoint['method'], 'GET'>;
        freshSecondFactor: FreshSecondFactor;
        mayReadStandby?: undefined;
      }
  );

/**
 * The entries of one tag, by operation name. The status is 200 unless given. A read never asks for
 * the second factor; for a change each entry must decide.
 */
export const endpointsOf = <const Entries extends Record<string, EndpointInput>>(
  tag: string,
  entries: Entries,
) =>
  // `fromEntries` forgets which name has which entry.
  Object.fromEntries(
    Object.entries(entries).map(([name, entry]): [string, unknown] => [
      name,
      { tag, status: 200, freshSecondFactor: 'never', ...entry },
    ]),
  ) as { [Name in keyof Entries]: Entries[Name] & Defaults };

/** The body of a success. */
export const responseBody = (entry: Endpoint): z.ZodType =>
  entry.paginated
    ? z.object({ data: z.array(entry.data), pagination })
    : z.object({ data: entry.data });

/** The version is carried in the path (spec part 9). */
export const apiPrefix = '/api/v1';

/** The same operations for the dashboard, which has a session instead of a key. */
export const dashboardApiPrefix = '/dashboard/api';
