import { randomBytes, randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

type CardPrefix =
  | 'cs_test'
  | 'cus'
  | 'sub'
  | 'si'
  | 'in'
  | 'il'
  | 'ch'
  | 'price'
  | 'prod'
  | 'evt'
  | 'dp'
  | 're'
  | 'req';

/** In the card provider's form: what it is, then something nobody can guess. */
export const newCardId = (prefix: CardPrefix): string => `${prefix}_${randomText(24)}`;

/** In the crypto provider's form: digits. */
export const newTrackId = (): string => String(randomInt(100_000_000, 1_000_000_000));

export const newTransactionHash = (): string => randomBytes(32).toString('hex');
