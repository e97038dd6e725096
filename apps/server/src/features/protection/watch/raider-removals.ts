import type { Queryable } from '../../../db/connect.ts';
import { listRaiders } from '../queries/raiders.ts';
import type { SeenAct } from './judge.ts';
import type { ActKind } from './kinds.ts';

type Server = { accountId: string; serverId: string; guildId: string };

/** The platform's clock and ours may differ by so much. */
const skewMs = 30_000;

export const isRemoval = (kind: ActKind): boolean => kind === 'bans' || kind === 'kicks';

/**
 * Which of these acts send away somebody who came with a raid. Moderators do that by the dozen while a wave
 * goes on, and it is no attack. It says nothing of anybody who was in the guild before.
 */
export const findRaiderRemovals = async (
  db: Queryable,
  server: Server,
  acts: readonly SeenAct[],
): Promise<(act: SeenAct) => boolean> => {
  const targets = acts.flatMap(({ kind, targetId }) =>
    isRemoval(kind) && targetId ? [targetId] : [],
  );
  if (targets.length === 0) return () => false;
  const raiders = await listRaiders(db, server, [...new Set(targets)]);
  const spans = new Map(raiders.map((raider) => [raider.platformId, raider]));
  return ({ kind, targetId, atMs }) => {
    const span = isRemoval(kind) && targetId ? spans.get(targetId) : undefined;
    if (!span) return false;
    const untilMs = span.until?.getTime() ?? Infinity;
    return span.from.getTime() - skewMs <= atMs && atMs <= untilMs + skewMs;
  };
};
