import type { Queryable } from './connect.ts';

/**
 * Builds a hot statement once per connection pool instead of once per call: putting SQL text
 * together costs as much as running a short query.
 */
export const prepared = <Statement>(
  build: (db: Queryable) => Statement,
): ((db: Queryable) => Statement) => {
  const built = new WeakMap<Queryable, Statement>();
  return (db) => {
    const known = built.get(db);
    if (known !== undefined) return known;
    const statement = build(db);
    built.set(db, statement);
    return statement;
  };
};
