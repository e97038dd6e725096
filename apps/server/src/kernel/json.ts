/** Undefined for what is not JSON, or not UTF-8. */
export const parseJson = (input: string | Uint8Array): unknown => {
  try {
    const isText = typeof input === 'string';
    return JSON.parse(isText ? input : new TextDecoder('utf-8', { fatal: true }).decode(input));
  } catch {
    return undefined;
  }
};

/** JSON with keys sorted at every level, so that equal values have equal hashes. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value));

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
};
