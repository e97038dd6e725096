import type { Database } from '../../../db/connect.ts';
import { listKeyIds } from '../../../db/sealed/queries.ts';
import { rewrapRows } from '../../../db/sealed/rewrap.ts';
import { type KeyRing, type SealBroken, unlessBroken } from '../../../kernel/seal.ts';
import {
  lockTokensSealedElsewhere,
  sampleTokensSealedUnder,
  sealedTokens,
  storeResealed,
  type TokenRow,
} from '../queries.ts';
import { openToken, resealTokens } from './sealed.ts';

const samplesPerKey = 5;

/**
 * Throws at the start of the service if the ring does not fit the stored tokens. One altered row is
 * not the ring's fault; a key of which no row opens is.
 */
export const requireRingFitsTokens = async (db: Database, ring: KeyRing): Promise<void> => {
  for (const keyId of await listKeyIds(db, sealedTokens)) {
    const samples = await sampleTokensSealedUnder(db, keyId, samplesPerKey);
    const isReadable = samples.some((row) =>
      unlessBroken(() => openToken(ring, row, 'refreshToken')),
    );
    if (samples.length > 0 && !isReadable) {
      throw new Error(
        `MASTER_KEYS does not fit the data: no member's token sealed under key ${keyId} opens`,
      );
    }
  }
};

type Rewrapping = { signal: AbortSignal; onBroken(error: SealBroken): void };

/** Seals every token under the ring's first key; rows that do not open stay unchanged. */
export const rewrapTokens = (db: Database, ring: KeyRing, run: Rewrapping): Promise<number> =>
  rewrapRows(
    db,
    {
      rowsAtATime: 200,
      idOf: ({ id }) => id,
      lock: (tx, page) => lockTokensSealedElsewhere(tx, ring.sealingKeyId, page),
      reseal: (tx, row: TokenRow) => storeResealed(tx, row, resealTokens(ring, row)),
    },
    run,
  );
