import { expect } from 'bun:test';
import { longestAppealLength } from '../../src/features/verification/rules.ts';
import { type Language, languages } from '../../src/http/languages/languages.ts';

// `Object.keys` forgets the type of the keys.
export const allLanguages = Object.keys(languages) as Language[];

/** Stands for every value that a text is given: the longest appeal, whose plural form the pages show. */
const sample = longestAppealLength;

/** The texts of a catalogue by their keys; of one with a value, what stands around the value. */
export const leavesOf = (texts: unknown, key = ''): Map<string, string[]> => {
  if (typeof texts === 'string') return new Map([[key, [texts]]]);
  if (typeof texts === 'function') return new Map([[key, piecesOf(texts(sample, sample))]]);
  const parts = Object.entries(texts ?? {});
  return new Map(parts.flatMap(([name, part]) => [...leavesOf(part, `${key}.${name}`)]));
};

const piecesOf = (made: unknown): string[] =>
  [made]
    .flat()
    .flatMap((piece) => (typeof piece === 'string' ? piece.split(String(sample)) : []))
    .map((piece) => piece.trim())
    .filter((piece) => /\p{L}/u.test(piece));

/** What a person reads on a page, its title and its labels too. */
export const readPage = (html: string): string =>
  html
    .replace(/<(style|script)\b.*?<\/\1>/gs, ' ')
    .replace(/ (?:aria-label|alt|title)="([^"]*)"/g, '>$1<')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

/** Every text has its own words in every language; `sameWords` are those that are the same in several. */
export const expectTranslated = (
  catalogues: Record<Language, unknown>,
  sameWords: string[] = [],
): void => {
  const english = leavesOf(catalogues.en);
  for (const language of allLanguages.filter((code) => code !== 'en')) {
    const texts = leavesOf(catalogues[language]);
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, pieces] of texts) {
      expect(pieces.every((piece) => piece.trim() !== '')).toBe(true);
      const isSame = pieces.join() === english.get(key)?.join();
      if (isSame && !sameWords.includes(pieces.join()))
        throw new Error(`${language}${key}: English`);
    }
  }
};

const englishWords = /\b(the|and|you|your|with|this|please|what|which|again|owner's)\b/i;
const madeWrong = /undefined|null|NaN|\[object|[{}]|function/;

/** No key is missing on these pages, and nothing on them is English. */
export const expectOnlyLanguage = (
  language: Language,
  pages: string[],
  english: Map<string, string[]>,
): void => {
  for (const page of pages) {
    expect(page).not.toMatch(madeWrong);
    if (language === 'en') continue;
    expect(page).not.toMatch(englishWords);
    for (const piece of [...english.values()].flat()) {
      if (piece.length > 12) expect(page).not.toContain(piece);
    }
  }
};

/** Every text was on one of the pages: no state is left out, and no text is dead. */
export const expectAllSeen = (texts: Map<string, string[]>, pages: string[]): void => {
  const all = pages.join('\n');
  const unseen = [...texts].filter(([, pieces]) => !pieces.every((piece) => all.includes(piece)));
  expect(unseen.map(([key]) => key)).toEqual([]);
};
