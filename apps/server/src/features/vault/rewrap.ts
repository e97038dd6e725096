import type { Database, Transaction } from '../../db/connect.ts';
import { listKeyIds } from '../../db/sealed/queries.ts';
import { type KeyRing, SealBroken } from '../../kernel/seal.ts';
import {
  lockTokensSealedElsewhere,
  sampleTokensSealedUnder,
  sealedTokens,
  storeResealed,
  type TokenRow,
} from './queries.ts';
import { openToken, resealTokens } from './sealed.ts';

const tokensAtATime = 200;
const samplesPerKey = 5;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

/**
 * Throws where the ring cannot open what is stored: better at the start than at the first use. One
 * altered row is not the ring's fault; a key of which no row opens is.
 */
export const requireRingFitsTokens = async (db: Database, ring: KeyRing): Promise<void> => {
  for (const keyId of await listKeyIds(db, sealedTokens)) {
    const samples = await sampleTokensSealedUnder(db, keyId, samplesPerKey);
    const opens = samples.map((row) => attemptOpen(() => openToken(ring, row, 'refreshToken')));
    if (opens.length > 0 && opens.every((attempt) => 'broken' in attempt)) {
      throw new Error(
        `MASTER_KEYS does not fit the data: no member's token sealed under key ${keyId} opens`,
      );
    }
  }
};

type Rewrapping = { signal: AbortSignal; onBroken(error: SealBroken): void };

/** Seals every token under the ring's first key; what does not open stays as it is. */
export const rewrapTokens = async (
  db: Database,
  ring: KeyRing,
  { signal, onBroken }: Rewrapping,
): Promise<number> => {
  let total = 0;
  for (let after = beforeAllIds; ; ) {
    signal.throwIfAborted();
    const { last, rewrapped, broken } = await rewrapSome(db, ring, after);
    total += rewrapped;
    broken.forEach(onBroken);
    if (last === undefined) return total;
    after = last;
  }
};

const rewrapSome = (db: Database, ring: KeyRing, after: string) =>
  db.transaction(async (tx) => {
    const page = { after, most: tokensAtATime };
    const rows = await lockTokensSealedElsewhere(tx, ring.sealingKeyId, page);
    const broken: SealBroken[] = [];
    for (const row of rows) {
      const error = await rewrapOne(tx, ring, row);
      if (error) broken.push(error);
    }
    return { last: rows.at(-1)?.id, rewrapped: rows.length - broken.length, broken };
  });

const rewrapOne = async (
  tx: Transaction,
  ring: KeyRing,
  row: TokenRow,
): Promise<SealBroken | undefined> => {
  const attempt = attemptOpen(() => resealTokens(ring, row));
  if ('broken' in attempt) return attempt.broken;
  await storeResealed(tx, row, attempt.opened);
  return undefined;
};

type Attempt<Opened> = { opened: Opened } | { broken: SealBroken };

const attemptOpen = <Opened>(open: () => Opened): Attempt<Opened> => {
  try {
    return { opened: open() };
  } catch (error) {
    if (error instanceof SealBroken) return { broken: error };
    throw error;
  }
};
