import type { Database, Transaction } from '../../db/connect.ts';
import { listKeyIds } from '../../db/sealed/queries.ts';
import { type KeyRing, SealBroken } from '../../kernel/seal.ts';
import {
  lockBotsSealedElsewhere,
  sampleBotsSealedUnder,
  sealedBots,
  storeResealed,
} from './queries.ts';
import { openCredential, resealCredentials } from './sealed.ts';

const botsAtATime = 100;
const samplesPerKey = 5;
const beforeAllIds = '00000000-0000-0000-0000-000000000000';

type SealedBot = Parameters<typeof resealCredentials>[1];

/**
 * Throws where the ring cannot open what is stored: better at the start than at the first use. One
 * altered row is not the ring's fault; a key of which no row opens is.
 */
export const requireRingFitsBots = async (db: Database, ring: KeyRing): Promise<void> => {
  for (const keyId of await listKeyIds(db, sealedBots)) {
    const samples = await sampleBotsSealedUnder(db, keyId, samplesPerKey);
    const attempts = samples.map((bot) => attemptOpen(() => openCredential(ring, bot, 'botToken')));
    if (attempts.length > 0 && attempts.every((attempt) => 'broken' in attempt)) {
      throw new Error(`MASTER_KEYS does not fit the data: nothing sealed under key ${keyId} opens`);
    }
  }
};

/** Seals every bot's credentials under the ring's first key; what does not open stays as it is. */
export const rewrapBots = async (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> => {
  let total = 0;
  for (let after = beforeAllIds; ; ) {
    const { last, rewrapped, broken } = await rewrapSome(db, ring, after);
    total += rewrapped;
    broken.forEach(onBroken);
    if (last === undefined) return total;
    after = last;
  }
};

const rewrapSome = (db: Database, ring: KeyRing, after: string) =>
  db.transaction(async (tx) => {
    const bots = await lockBotsSealedElsewhere(tx, ring.sealingKeyId, { after, most: botsAtATime });
    const broken: SealBroken[] = [];
    for (const bot of bots) {
      const error = await rewrapOne(tx, ring, bot);
      if (error) broken.push(error);
    }
    return { last: bots.at(-1)?.id, rewrapped: bots.length - broken.length, broken };
  });

const rewrapOne = async (
  tx: Transaction,
  ring: KeyRing,
  bot: SealedBot,
): Promise<SealBroken | undefined> => {
  const attempt = attemptOpen(() => resealCredentials(ring, bot));
  if ('broken' in attempt) return attempt.broken;
  await storeResealed(tx, bot, attempt.opened);
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
