/** The only row that a query gives, or its first. */
export const firstRow = async <Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined> =>
  (await query)[0];

/** Whether a query gives rows: whether it found, or changed, anything. */
export const hasRows = async (query: PromiseLike<readonly unknown[]>): Promise<boolean> =>
  (await query).length > 0;
