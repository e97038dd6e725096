/** Maps in the given order, with so many under way at once. After a failure no more are begun. */
export const inParallel = async <Item, Result>(
  atOnce: number,
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> => {
  const results = new Array<Result>(items.length);
  const entries = items.entries();
  let isFailed = false;
  const work = async () => {
    for (const [index, item] of entries) {
      if (isFailed) return;
      results[index] = await map(item, index).catch((error: unknown) => {
        isFailed = true;
        throw error;
      });
    }
  };
  await allEnded(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
};

/** Like `Promise.all`, but nothing is left running when it throws. */
export const allEnded = async (works: readonly unknown[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
};
