/**
 * Long work on the event loop in short turns. Between two turns the loop looks after everything else, and of
 * all long works only one has a turn: together they delay a request no more than one does.
 */
const turnMs = 5;

const waiting: (() => void)[] = [];
let turnEndsAt = 0;

/** Asked between two pieces of a long work: undefined while its turn lasts. */
export const giveWay = (): Promise<void> | undefined => {
  if (performance.now() < turnEndsAt) return undefined;
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(beginTurn);
  });
};

const beginTurn = (): void => {
  turnEndsAt = performance.now() + turnMs;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(beginTurn);
};

/** `map`, in turns. */
export const mapInTurns = async <Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> => {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    await giveWay();
    results.push(map(item, index));
  }
  return results;
};
