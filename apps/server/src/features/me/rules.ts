import { normalizeText } from '../../kernel/normalize-text.ts';

/** Accepted in every language, beside the word of the page. */
const commonWord = 'ERASE';
/** Whoever typed more typed no word. */
const mostTyped = 200;

/** Whether the person typed the word by which they confirm the erasure, in capitals or not. */
export const isConfirmed = (
  typed: string | undefined,
  { word, language }: { word: string; language: string },
): boolean => {
  if (typed === undefined || typed.length > mostTyped) return false;
  const given = normalizeText(typed.trim(), 'NFC');
  // In Turkish the capital of `i` is another letter.
  return given.toLocaleUpperCase(language) === word || given.toUpperCase() === commonWord;
};
