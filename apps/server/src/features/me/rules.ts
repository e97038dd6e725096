/** Accepted in every language, beside the word of the page. */
const commonWord = 'ERASE';

/** Whether the person typed the word by which they confirm the erasure, in capitals or not. */
export const isConfirmed = (
  typed: string | undefined,
  { word, language }: { word: string; language: string },
): boolean => {
  const given = typed?.trim().normalize('NFC') ?? '';
  // In Turkish the capital of `i` is another letter.
  return given.toLocaleUpperCase(language) === word || given.toUpperCase() === commonWord;
};
