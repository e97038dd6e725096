import { eventsPath } from '@holdfast/contract';
import type { Context, Hono } from 'hono';
import { HttpError, serviceBusy } from '../../kernel/errors.ts';
import {
  type AuthScheme,
  authenticateRequest,
  type RateLimitDependencies,
} from '../auth/auth-scheme.ts';
import type { HttpEnv } from '../context.ts';
import { addressOf, networkOf } from '../limits/address-limit.ts';
import type { EventStreams } from './event-streams.ts';

export type OpenEvents = Pick<EventStreams, 'open'> & {
  /** Whether this process learns of changes. */
  isAlive(): boolean;
};

type EventsDependencies = RateLimitDependencies & { baseUrl: string; events: OpenEvents };

/** Longer than two heartbeats: whoever has not taken one for so long is gone. */
const idleSeconds = 45;

/**
 * The dashboard's stream of events, by session only. It is no operation of the pipeline: its answer has
 * no end, so neither the deadline nor the measured time of a request apply to more than its beginning.
 */
export const mountEvents = (
  app: Hono<HttpEnv>,
  scheme: AuthScheme,
  { events, baseUrl, ...rateLimit }: EventsDependencies,
): void => {
  app.get(eventsPath, authenticateRequest(scheme, rateLimit), (context) => {
    context.set('operation', 'openEvents');
    requireOwnPage(context, baseUrl);
    // Without them the page would wait for changes in vain; it polls until they are back.
    if (!events.isAlive()) throw serviceBusy('Changes cannot be told at the moment');
    const { id: sessionId, accountId } = context.get('caller');
    const network = networkOf(addressOf(context, rateLimit));
    const body = events.open({ sessionId, accountId, network });
    context.env.keepOpen?.(idleSeconds);
    return new Response(body, {
      headers: {
        ...context.get('headers'),
        'Content-Type': 'text/event-stream; charset=utf-8',
        // Neither collected nor compressed on its way.
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
      },
    });
  });
};

/** Browsers tell where a request comes from; other programs have no cookie of somebody else's. */
const requireOwnPage = ({ req }: Context<HttpEnv>, baseUrl: string): void => {
  const site = req.header('sec-fetch-site') ?? 'same-origin';
  const origin = req.header('origin') ?? new URL(baseUrl).origin;
  if (site === 'same-origin' && origin === new URL(baseUrl).origin) return;
  throw new HttpError(403, 'This must be opened by a page of ours');
};
