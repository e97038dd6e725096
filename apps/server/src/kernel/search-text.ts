import { normalizeText } from './normalize-text.ts';

/** Folded by Unicode's rules, so that the database's locale does not matter. A final sigma is the same letter. */
export const foldCase = (text: string): string =>
  normalizeText(text, 'NFC').toLowerCase().replaceAll('ς', 'σ');

/** A LIKE pattern for any folded text that contains `part`; its own wildcards are literals. */
export const containsPattern = (part: string): string =>
  `%${foldCase(part).replace(/[\\%_]/g, '\\$&')}%`;

/** Whether a trigram index can be used: it holds only runs of three letters or digits. */
export const hasTrigram = (part: string): boolean => /[\p{L}\p{N}]{3}/u.test(foldCase(part));
