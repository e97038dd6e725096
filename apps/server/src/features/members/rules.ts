/** Stands between the two names in `searchText`, and therefore in neither. */
const separator = '\n';

/** Both names as they are searched: folded by Unicode's rules, whatever the database's locale is. */
export const searchTextOf = (username: string, displayName: string | null): string =>
  [username, displayName ?? '']
    .map((name) => foldCase(name).replaceAll(separator, ' '))
    .join(separator);

/** A sigma is one letter wherever in a word it stands. */
const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

/** Whether any name could contain this text. */
export const couldBeInName = (part: string): boolean => !part.includes(separator);

/** A LIKE pattern for any text that contains `part`; its own wildcards are literals. */
export const containsPattern = (part: string): string =>
  `%${foldCase(part).replace(/[\\%_]/g, '\\$&')}%`;

/** Whether the trigram index can help: it knows only runs of three letters or digits. */
export const hasTrigram = (part: string): boolean => /[\p{L}\p{N}]{3}/u.test(foldCase(part));
