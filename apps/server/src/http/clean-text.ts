/** Text that no database column and no page could hold: NUL, or half of a surrogate pair. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export const uncleanMessage = 'Must not contain NUL or lone surrogates';

/** The top-level fields of a JSON object that hold such text, at whatever depth. */
export const uncleanFields = (body: object): string[] =>
  Object.entries(body)
    .filter(([field, value]) => !isCleanText(field) || holdsUncleanText(value))
    .map(([field]) => field);

/** Walks with a list instead of recursion: the depth is the client's choice. */
const holdsUncleanText = (root: unknown): boolean => {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !isCleanText(value)) return true;
    if (value === null || typeof value !== 'object') continue;
    for (const [key, inner] of Object.entries(value)) waiting.push(key, inner);
  }
  return false;
};
