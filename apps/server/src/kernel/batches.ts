/** So many at a time for each reader; more are begun only beside ones that take long. */
const atOnce = 2;
/** Bounds how long one batch can take, and so how long one caller's read can hold up the others'. */
const largestBatch = 64;
/** Who waits longer than this goes in a further batch: those under way may have lost their connection. */
const slowMs = 25;

type Ticket<Asked, Result> = PromiseWithResolvers<Result> & { asked: Asked };

/**
 * Joins reads that are wanted at the same time, so that many share one statement. Nothing waits for
 * others to come: a read goes with the next turn of the event loop, and only where two batches are under
 * way it joins those that wait for their end. The same read wanted twice is asked once. `ask` begins after
 * every read in its batch was wanted, so nobody gets a state that is older than their request.
 *
 * A batch that fails is asked again one by one: what one caller asks spoils no other's answer.
 */
export const createBatches = <Asked, Result>(
  identify: (asked: Asked) => string,
  ask: (batch: Asked[]) => Promise<Result[]>,
) => {
  const waiting = new Map<string, Ticket<Asked, Result>>();
  let underWay = 0;
  let isDue = false;
  let isWatched = false;

  const schedule = (): void => {
    if (waiting.size === 0 || isDue) return;
    if (underWay < atOnce) {
      isDue = true;
      setImmediate(send);
    } else if (!isWatched) {
      isWatched = true;
      setTimeout(sendOverdue, slowMs);
    }
  };

  const sendOverdue = (): void => {
    isWatched = false;
    send();
  };

  const send = (): void => {
    isDue = false;
    const batch = takeFirst(waiting, largestBatch);
    if (batch.length === 0) return;
    underWay++;
    answerAll(batch, ask).finally(() => {
      underWay--;
      schedule();
    });
    schedule();
  };

  return (asked: Asked): Promise<Result> => {
    const id = identify(asked);
    let ticket = waiting.get(id);
    if (!ticket) {
      ticket = { asked, ...Promise.withResolvers<Result>() };
      waiting.set(id, ticket);
      schedule();
    }
    return ticket.promise;
  };
};

const takeFirst = <Value>(waiting: Map<string, Value>, count: number): Value[] => {
  const taken: Value[] = [];
  for (const [id, value] of waiting) {
    if (taken.length === count) break;
    taken.push(value);
    waiting.delete(id);
  }
  return taken;
};

const answerAll = async <Asked, Result>(
  batch: Ticket<Asked, Result>[],
  ask: (batch: Asked[]) => Promise<Result[]>,
): Promise<void> => {
  try {
    const results = await ask(batch.map(({ asked }) => asked));
    // One for each that was asked, in their order.
    for (const [at, ticket] of batch.entries()) ticket.resolve(results[at] as Result);
  } catch (error) {
    if (batch.length > 1) await Promise.all(batch.map((ticket) => answerAll([ticket], ask)));
    else for (const { reject } of batch) reject(error);
  }
};
