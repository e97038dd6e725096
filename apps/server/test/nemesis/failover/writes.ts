import { verifyChain } from '../../../src/features/audit/chain/verify-chain.ts';
import { randomPlatformId } from '../../harness/service.ts';
import type { Lane } from '../lane/lane.ts';
import { countAudited, listBlacklisted } from './queries.ts';

/** Somebody who writes one thing after another. */
export type Writer = {
  /** When the last acknowledged write was begun and acknowledged. */
  last(): { begunAt: number; endedAt: number };
  /** The longest time between two acknowledgements since the last call. */
  takeLongestPauseMs(): number;
  counts(): { acknowledged: number; refused: number };
  /** Stops writing; gives what is wrong with what was written. */
  stop(): Promise<string[]>;
};

const pauseMs = 20;
const refusalPauseMs = 100;

type Attempt = { status: number; text: string };

/** The commit of an attempt that was answered 503 may still wait for the standby. */
const mayBeSentAgain = ({ status, text }: Attempt): boolean =>
  status >= 500 || (status === 409 && text.includes('is still running'));

/** Blacklists one made-up person after the other; what a refusal leaves open is asked again with the same key. */
export const startWriter = (lane: Lane): Writer => {
  const acknowledged: string[] = [];
  const wrong: string[] = [];
  let refused = 0;
  let last = { begunAt: performance.now(), endedAt: performance.now() };
  let longestPauseMs = 0;
  let isStopped = false;

  const attempt = (platformId: string): Promise<Attempt> =>
    lane.tenant
      .call('POST', `/api/v1/servers/${lane.serverId}/blacklist`, {
        body: { platformId, reason: 'written while the primary is lost' },
        headers: { 'Idempotency-Key': `blacklist ${platformId}` },
      })
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
  const writeOne = async () => {
    const platformId = randomPlatformId();
    for (;;) {
      const begunAt = performance.now();
      const { status, text } = await attempt(platformId);
      const endedAt = performance.now();
      if (status === 201) {
        longestPauseMs = Math.max(longestPauseMs, endedAt - last.endedAt);
        last = { begunAt, endedAt };
        acknowledged.push(platformId);
        return;
      }
      refused += 1;
      if (!mayBeSentAgain({ status, text })) {
        wrong.push(`a write was answered ${status}: ${text}`);
        return;
      }
      await Bun.sleep(refusalPauseMs);
    }
  };
  const writing = (async () => {
    while (!isStopped) {
      await writeOne();
      await Bun.sleep(pauseMs);
    }
  })();

  return {
    last: () => last,
    takeLongestPauseMs() {
      const taken = longestPauseMs;
      longestPauseMs = 0;
      return taken;
    },
    counts: () => ({ acknowledged: acknowledged.length, refused }),
    async stop() {
      isStopped = true;
      await writing;
      return [...wrong, ...(await writeViolations(lane, acknowledged))];
    },
  };
};

/** Each acknowledged write is there, was audited once, and the account's chain is whole. */
const writeViolations = async (
  { db, tenant: { accountId } }: Lane,
  acknowledged: string[],
): Promise<string[]> => {
  const stored = await listBlacklisted(db, accountId);
  const there = new Set(stored.map(({ platformId }) => platformId));
  const lost = acknowledged.filter((platformId) => !there.has(platformId));
  const audited = await countAudited(db, accountId, 'blacklist.create');
  const { intact, fault } = await verifyChain(db, accountId);
  return [
    ...(lost.length > 0 ? [`${lost.length} acknowledged writes are lost`] : []),
    ...(stored.length === acknowledged.length
      ? []
      : [`${stored.length} are stored of ${acknowledged.length} written`]),
    ...(audited === stored.length ? [] : [`${audited} of ${stored.length} writes were audited`]),
    ...(intact ? [] : [`the audit chain is broken: ${JSON.stringify(fault)}`]),
  ];
};
