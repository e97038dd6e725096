/** Items that come while earlier ones are under way are worked on together, at most so many. */
export const createBatches = <Item>(most: number, work: (batch: Item[]) => Promise<void>) => {
  const waiting: { item: Item; outcome: PromiseWithResolvers<void> }[] = [];
  let isWorking = false;
  const workAll = async () => {
    // So that those who come in the same moment come together.
    await null;
    for (let batch = waiting.splice(0, most); batch.length > 0; batch = waiting.splice(0, most)) {
      try {
        await work(batch.map(({ item }) => item));
        for (const { outcome } of batch) outcome.resolve();
      } catch (error) {
        for (const { outcome } of batch) outcome.reject(error);
      }
    }
    isWorking = false;
  };
  return (item: Item): Promise<void> => {
    const outcome = Promise.withResolvers<void>();
    waiting.push({ item, outcome });
    if (!isWorking) {
      isWorking = true;
      workAll();
    }
    return outcome.promise;
  };
};
