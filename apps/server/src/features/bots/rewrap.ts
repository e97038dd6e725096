import type { Database } from '../../db/connect.ts';
import { listKeyIds } from '../../db/sealed/queries.ts';
import { opens, rewrapRows } from '../../db/sealed/rewrap.ts';
import type { KeyRing, SealBroken } from '../../kernel/seal.ts';
import {
  lockBotsSealedElsewhere,
  sampleBotsSealedUnder,
  sealedBots,
  storeResealed,
} from './queries.ts';
import { openCredential, resealCredentials } from './sealed.ts';

const samplesPerKey = 5;

type SealedBot = Parameters<typeof resealCredentials>[1];

/**
 * Throws where the ring cannot open what is stored: better at the start than at the first use. One
 * altered row is not the ring's fault; a key of which no row opens is.
 */
export const requireRingFitsBots = async (db: Database, ring: KeyRing): Promise<void> => {
  for (const keyId of await listKeyIds(db, sealedBots)) {
    const samples = await sampleBotsSealedUnder(db, keyId, samplesPerKey);
    const isReadable = samples.some((bot) => opens(() => openCredential(ring, bot, 'botToken')));
    if (samples.length > 0 && !isReadable) {
      throw new Error(`MASTER_KEYS does not fit the data: nothing sealed under key ${keyId} opens`);
    }
  }
};

/** Seals every bot's credentials under the ring's first key; what does not open stays as it is. */
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
      lock: (tx, page) => lockBotsSealedElsewhere(tx, ring.sealingKeyId, page),
      reseal: (tx, bot: SealedBot) => storeResealed(tx, bot, resealCredentials(ring, bot)),
    },
    { onBroken },
  );
