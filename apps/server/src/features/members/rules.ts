/** Both names as they are searched: folded by Unicode's rules, whatever the database's locale is. */
export const searchTextOf = (username: string, displayName: string | null): string =>
  foldCase(displayName === null ? username : `${username}\n${displayName}`);

const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();

/** A LIKE pattern for any text that contains `part`; its own wildcards are literals. */
export const containsPattern = (part: string): string =>
  `%${foldCase(part).replace(/[\\%_]/g, '\\$&')}%`;
