import type { TestSimulator } from '../simulator/start.ts';
import { actAs } from './act.ts';
import { type AttackKind, type Blow, planBlows } from './plan.ts';

type AttackOptions = {
  guildId: string;
  /** Ids of members; several of them strike in turn. */
  attackerIds: string[];
  /** One after the other, or, where they alternate, one blow of each in turn. */
  kinds: AttackKind[];
  alternates?: boolean;
  inFlight?: number;
  /** Between two blows: for those who want to stay below a threshold. */
  gapMs?: number;
  /** So many blows are tried; all that can be, unless it is set. */
  mostBlows?: number;
};

type StruckBlow = {
  kind: AttackKind;
  targetId: string;
  attackerId: string;
  status: number;
  sentAt: number;
  answeredAt: number;
};

/** All times are those of `performance.now()`. */
type AttackReport = {
  startedAt: number;
  endedAt: number;
  /** In the order in which they were answered. */
  blows: StruckBlow[];
  /** Those that took effect. */
  landed: StruckBlow[];
  /** When each attacker was refused for the first time: those who were not are not in it. */
  refusedAt: Map<string, number>;
};

/**
 * A scripted attack over HTTP, as fast as the platform lets it. An attacker gives up at the first refusal:
 * all blows are such that only somebody without power is refused.
 */
export const attack = async (
  { url, apiUrl }: Pick<TestSimulator, 'url' | 'apiUrl'>,
  { guildId, attackerIds, kinds, alternates = false, inFlight = 1, ...options }: AttackOptions,
): Promise<AttackReport> => {
  const { gapMs = 0, mostBlows = Number.POSITIVE_INFINITY } = options;
  const senders = new Map(attackerIds.map((id) => [id, actAs(apiUrl, id)]));
  const [lookout] = senders.values();
  if (!lookout) throw new Error('Nobody attacks');
  const scene = { guildId, simulatorUrl: url };
  const planned = await planBlows(scene, { send: lookout, attackerIds, kinds });
  const queue = (alternates ? inTurn(planned) : planned).slice(0, mostBlows);
  const blows: StruckBlow[] = [];
  const refusedAt = new Map<string, number>();
  let turn = 0;
  const nextAttacker = () => {
    const able = attackerIds.filter((id) => !refusedAt.has(id));
    return able[turn++ % able.length];
  };
  const strikeOn = async () => {
    for (;;) {
      const attackerId = nextAttacker();
      const send = attackerId && senders.get(attackerId);
      const blow = send && queue.shift();
      if (!blow) return;
      const { status, sentAt, answeredAt } = await blow.strike(send, attackerId);
      const { kind, targetId } = blow;
      blows.push({ kind, targetId, attackerId, status, sentAt, answeredAt });
      if (isRefusal(status) && !refusedAt.has(attackerId)) refusedAt.set(attackerId, answeredAt);
      if (gapMs > 0) await Bun.sleep(gapMs);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, strikeOn));
  const landed = blows.filter(({ status }) => status < 300);
  return { startedAt, endedAt: performance.now(), blows, landed, refusedAt };
};

/** A target that is gone already (404) refuses nobody. */
const isRefusal = (status: number): boolean => status === 401 || status === 403;

/** One of each kind, then the next of each. */
const inTurn = (blows: Blow[]): Blow[] => {
  const byKind = [...Map.groupBy(blows, ({ kind }) => kind).values()];
  const rounds = Math.max(0, ...byKind.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, n) => byKind.flatMap((list) => list[n] ?? [])).flat();
};
