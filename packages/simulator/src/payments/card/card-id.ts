import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An id in the card provider's format, such as `evt_…`. */
export const newCardId = (prefix: string): string => {
  const characters = Array.from({ length: 24 }, () => alphabet[randomInt(alphabet.length)]);
  return `${prefix}_${characters.join('')}`;
};
