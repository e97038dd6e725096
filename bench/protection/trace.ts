import type { LoggedCall } from '../lib/simulator.ts';
import type { Strike } from './attack.ts';
import type { Target } from './target.ts';

/** What became of one attack, by the log of the platform, which has each call as it took effect. */
export type Outcome = {
  lost: number;
  /** Deletions that were sent before the second one had taken effect: no reaction can come before them. */
  underWay: number;
  /** From the first deletion to the call that stopped the last attacker; undefined where none came. */
  stoppedAfterMs: number | undefined;
  /** From the verdict to that call as it left the service; undefined where nobody was stopped. */
  sentAfterMs: number | undefined;
  /** From the first deletion to the last: so long the simulator had these in hand. */
  busyMs: number;
  /** How long the platform itself took for a deletion, its distance left out. */
  platformMs: number[];
};

type Seen = { calls: readonly LoggedCall[]; noticedAtMs: number | undefined; latencyMs: number };

export const outcomeOf = (
  { attackerIds }: Target,
  strikes: readonly Strike[],
  { calls, noticedAtMs, latencyMs }: Seen,
): Outcome => {
  const atOf = ({ at }: LoggedCall) => at.getTime();
  const deletions = calls
    .filter(({ method, path, status }) => method === 'DELETE' && isChannel(path) && status === 200)
    .map(atOf);
  const stops = calls
    .filter(
      ({ method, path, status }) => method === 'PATCH' && isOf(attackerIds, path) && status === 200,
    )
    .map(atOf);
  const [first, second = first] = deletions;
  const hasStop = stops.length >= attackerIds.length;
  const [stop, lastStop] = [Math.min(...stops), Math.max(...stops)];
  return {
    lost: deletions.length,
    underWay: strikes.filter(({ sentAtMs }) => sentAtMs <= (second ?? 0)).length,
    stoppedAfterMs: hasStop && first !== undefined ? lastStop - first : undefined,
    sentAfterMs:
      hasStop && noticedAtMs !== undefined ? stop - latencyMs / 2 - noticedAtMs : undefined,
    busyMs: (deletions.at(-1) ?? 0) - (first ?? 0),
    platformMs: strikes.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs - latencyMs),
  };
};

const isChannel = (path: string): boolean => /^\/channels\/\d+$/.test(path);

const isOf = (ids: readonly string[], path: string): boolean =>
  ids.some((id) => path.endsWith(`/members/${id}`));
