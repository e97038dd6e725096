import type { Database } from '../../db/connect.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { lockBotsSealedElsewhere, sampleSealedBots, storeResealed } from './queries.ts';
import { openCredential, resealCredentials } from './sealed.ts';

const botsAtATime = 100;

/** Throws where the ring cannot open what is stored: better at the start than at the first use. */
export const requireRingFitsBots = async (db: Database, ring: KeyRing): Promise<void> => {
  for (const bot of await sampleSealedBots(db)) openCredential(ring, bot, 'botToken');
};

/** Seals every bot's credentials under the ring's first key, a few at a time. */
export const rewrapBots = async (db: Database, ring: KeyRing): Promise<number> => {
  for (let total = 0; ; ) {
    const rewrapped = await rewrapSome(db, ring);
    if (rewrapped === 0) return total;
    total += rewrapped;
  }
};

const rewrapSome = (db: Database, ring: KeyRing): Promise<number> =>
  db.transaction(async (tx) => {
    const bots = await lockBotsSealedElsewhere(tx, ring.sealingKeyId, botsAtATime);
    for (const bot of bots) await storeResealed(tx, bot, resealCredentials(ring, bot));
    return bots.length;
  });
