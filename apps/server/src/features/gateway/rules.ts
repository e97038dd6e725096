/**
 * Pure decisions of the gateway. A bot that a process holds goes round like this:
 *
 *   free ──claimed──► resuming or identifying ──► ready ──cut──► resuming (soon, then later and later)
 *                            │                      └─session over──► identifying
 *                            ├─ refused: free, and nobody's until its owner changes something
 *                            └─ switched off, deleted, moved, the process stops: free
 */
import type { Dispatch, GatewayEnd, GatewaySession } from '../../platform/gateway/port.ts';
import type { GatewayAccess } from '../../platform/port.ts';
import type { IdentifyCounts } from './queries/identifies.ts';

/** How many bots a process holds where all processes hold equally many. */
export const fairShare = (bots: number, processes: number): number =>
  Math.ceil(bots / Math.max(1, processes));

/** Identifies that are held back from the platform's limit: a bot that passes it loses its token. */
const reserveShare = 0.1;

const dayMs = 24 * 60 * 60 * 1000;
/** The platform's own count may have been reset earlier than ours thinks. */
const longestHoldBackMs = 10 * 60 * 1000;

/** 0 where a session may be begun now, else how long to wait before asking again. */
export const identifyWaitMs = (
  { total, remaining, resetsInMs, atOnce }: GatewayAccess['identifies'],
  { inDay, inWindow, oldestInDayMs }: IdentifyCounts,
  windowMs: number,
): number => {
  const reserve = Math.ceil(total * reserveShare);
  if (remaining <= reserve) return Math.min(Math.max(resetsInMs, 1000), longestHoldBackMs);
  if (inDay >= total - reserve) {
    return Math.min(Math.max(dayMs - oldestInDayMs, 1000), longestHoldBackMs);
  }
  return inWindow >= atOnce ? windowMs : 0;
};

/** Dispatches that have not taken effect yet: a resume repeats some. */
export const dropReplayed = (
  stored: { sessionId: string | null; sequence: number },
  dispatches: readonly Dispatch[],
): Dispatch[] => {
  let { sessionId, sequence } = stored;
  return dispatches.filter((dispatch) => {
    if (dispatch.session.id === sessionId && dispatch.sequence <= sequence) return false;
    sessionId = dispatch.session.id;
    sequence = dispatch.sequence;
    return true;
  });
};

type StoredSession = { sessionId: string | null; resumeUrl: string | null; sequence: number };

export const sessionOf = ({
  sessionId,
  resumeUrl,
  sequence,
}: StoredSession): GatewaySession | undefined =>
  sessionId === null || resumeUrl === null ? undefined : { id: sessionId, resumeUrl, sequence };

const longestPauseMs = 5 * 60 * 1000;

/** After the n-th failure in a row. A first cut is resumed almost at once. */
export const pauseAfter = (
  end: GatewayEnd['kind'],
  failures: number,
  { random, pauseMs }: { random: number; pauseMs: number },
): number => {
  // The platform asks for one to five seconds before a new session follows one that is over.
  const least = end === 'sessionOver' ? pauseMs * (1 + 4 * random) : pauseMs * random;
  const grown = failures === 0 ? 0 : pauseMs * 2 ** failures * (0.5 + random / 2);
  return Math.min(Math.max(least, grown), longestPauseMs);
};

/** The application of a token is its first part; the owner's own word counts where it is not. */
export const applicationOf = (token: string, clientId: string): string => {
  const decoded = Buffer.from(token.split('.')[0] ?? '', 'base64').toString();
  return /^\d{1,20}$/.test(decoded) ? decoded : clientId;
};
