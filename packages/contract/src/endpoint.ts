import { z } from 'zod';
import { pagination } from './common.ts';
import type { FreshSecondFactor } from './fresh-second-factor.ts';
import type { PlanFeature } from './plans.ts';
import type { Scope } from './scopes.ts';

/** One endpoint as data: what it demands, what it takes, what it answers. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /api/v1, parameters as `:name`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  scope: Scope;
  /** Whether a dashboard session must show a fresh code of its second factor first. */
  freshSecondFactor: FreshSecondFactor;
  /** `server`: the path's `:id` is a server of the caller, else 404. */
  owner?: 'server';
  /** Refused with 403 where the plan lacks it, after the owner was checked. */
  feature?: PlanFeature;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType<object>;
  /** Every field of the body is optional, so the body is too. */
  bodyOptional?: boolean;
  status: 200 | 201 | 202;
  /** What stands under `data`; of a paginated list, one element. */
  data: z.ZodType;
  paginated?: boolean;
  /** A read that counts or asks more than a look-up does. Paginated ones are heavy anyway. */
  heavy?: boolean;
  /** The answer shows a secret once: it is never kept for a replay. */
  showsSecret?: boolean;
  /**
   * The answer can name people. It is kept for a replay until one of the account's people erases
   * themselves; a repeat then runs anew, so it must do no harm.
   */
  namesPeople?: boolean;
  /** Refusals particular to this endpoint, beside those every endpoint has. */
  refusals?: Partial<Record<403 | 404 | 409 | 429, string>>;
  /** The body of its 409, where that says more than a sentence. */
  conflictBody?: z.ZodType;
};

/** Few of these run at once for one account; who asks for more waits, and is then told 429. */
export const isHeavyRead = ({ method, paginated, heavy }: Endpoint): boolean =>
  method === 'GET' && (paginated === true || heavy === true);

export const endpoint = <const E extends Endpoint>(entry: E): E => entry;

/** The whole success body of an endpoint. */
export const answerBody = (entry: Endpoint): z.ZodType =>
  entry.paginated
    ? z.object({ data: z.array(entry.data), pagination })
    : z.object({ data: entry.data });
