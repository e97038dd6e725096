import type { Database } from '../../../db/connect.ts';
import { listKeyIds } from '../../../db/sealed/queries.ts';
import { rewrapRows } from '../../../db/sealed/rewrap.ts';
import { type KeyRing, type SealBroken, unlessBroken } from '../../../kernel/seal.ts';
import { lockBotsToRewrap, sampleBotsSealedUnder, sealedBots, storeResealed } from '../queries.ts';
import { openCredential, resealCredentials } from './credentials.ts';

const samplesPerKey = 5;

type SealedBot = Parameters<typeof resealCredentials>[1];

/**
 * Throws where the ring does not fit the stored data, at the start rather than at the first use. One
 * altered row says nothing about the ring; a key under which no row opens does.
 */
export const requireRingFitsBots = async (db: Database, ring: KeyRing): Promise<void> => {
  for (const keyId of await listKeyIds(db, sealedBots)) {
    const samples = await sampleBotsSealedUnder(db, keyId, samplesPerKey);
    const isReadable = samples.some((bot) =>
      unlessBroken(() => openCredential(ring, bot, 'botToken')),
    );
    if (samples.length > 0 && !isReadable) {
      throw new Error(`MASTER_KEYS does not fit the data: nothing sealed under key ${keyId} opens`);
    }
  }
};

/** Seals every bot's credentials under the ring's first key; those that do not open stay as they are. */
export const rewrapBots = (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> =>
  rewrapRows(
    db,
    {
      rowsAtATime: 100,
      idOf: ({ id }) => id,
      lock: (tx, page) => lockBotsToRewrap(tx, ring.sealingKeyId, page),
      reseal: (tx, bot: SealedBot) => storeResealed(tx, bot, resealCredentials(ring, bot)),
    },
    { onBroken },
  );
