import type { Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { lockServer } from '../../servers/queries.ts';
import { findProtected, type GuardedRow, type InGuild, storeWatched } from '../queries/watched.ts';
import { type Limit, limitsOfIntents } from './cannot-stop.ts';
import { followTimeOut } from './follow-time-out.ts';

/**
 * Remembers what the bot cannot stop in its guild, and tells the owner of what is new among it: once, until
 * it was better in between. What was so from the beginning stands on the protection page.
 */
export const noteLimits = async (
  tx: Transaction,
  dependencies: { queue: Pick<Queue, 'enqueue'>; clock: Clock },
  server: InGuild & { serverId: string },
  limits: readonly Limit[],
): Promise<void> => {
  const { accountId, serverId } = server;
  // One at a time, so that nothing is told twice.
  if (!(await lockServer(tx, { accountId, serverId }))) return;
  const row = await findProtected(tx, server);
  if (!row) return;
  const counted = [...limits, ...limitsOfIntents(row.intents)].filter(
    ({ code }) => code !== 'OWNER',
  );
  const isOutside = counted.some(({ code }) => code === 'NOT_IN_GUILD');
  const found = counted.flatMap(keysOf);
  // From outside nothing else can be seen: it is as it was.
  const kept = isOutside ? (row.limits ?? []) : [];
  const stored = [...new Set([...kept, ...found])];
  await storeWatched(tx, row, { limits: stored });
  const look = { ...server, afterEntryId: row.lastEntryId };
  await followTimeOut(tx, dependencies, look, { before: row.limits ?? [], after: stored });
  if (row.limits === null) return;
  const known = new Set(row.limits);
  const worsened = counted
    .filter((limit) => matters(limit, row))
    .filter((limit) => keysOf(limit).some((key) => !known.has(key)))
    .map(({ detail }) => detail);
  if (worsened.length === 0) return;
  const facts = { worsened };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
};

/** To a server without anti-nuke only what raids are noticed and answered by. */
const matters = (
  { code, isForRaids }: Limit,
  { antiNukeEnabled, antiRaidEnabled }: GuardedRow,
): boolean => {
  if (code === 'MISSING_INTENT') return antiRaidEnabled;
  return antiNukeEnabled || isForRaids === true;
};

const keysOf = ({ code, about = [''] }: Limit): string[] => about.map((one) => `${code} ${one}`);
