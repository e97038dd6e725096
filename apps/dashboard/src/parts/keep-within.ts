type Asked = { queryKey: readonly unknown[] };

/**
 * What was shown stays until what comes next is there, as long as both are of the same thing: its id
 * is the second part of their keys. Of another thing nothing stays.
 */
export const keepWithin =
  (id: string) =>
  <Data>(shown: Data | undefined, asked: Asked | undefined): Data | undefined =>
    asked?.queryKey[1] === id ? shown : undefined;
