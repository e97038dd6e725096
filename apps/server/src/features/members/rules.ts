/** Separates the two names in `searchText`, and is in neither. */
const separator = '\n';

/** Both names, folded by Unicode's rules: the database's locale does not matter. */
export const searchTextOf = (username: string, displayName: string | null): string =>
  [username, displayName ?? '']
    .map((name) => foldCase(name).replaceAll(separator, ' '))
    .join(separator);

/** A sigma at the end of a word is the same letter. */
const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

/** Whether any name could contain this text. */
export const couldBeInName = (part: string): boolean => !part.includes(separator);

/** A LIKE pattern for any text that contains `part`; its own wildcards are literals. */
export const containsPattern = (part: string): string =>
  `%${foldCase(part).replace(/[\\%_]/g, '\\$&')}%`;

/** Whether the trigram index can be used: it holds only runs of three letters or digits. */
export const hasTrigram = (part: string): boolean => /[\p{L}\p{N}]{3}/u.test(foldCase(part));
