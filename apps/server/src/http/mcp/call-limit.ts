import { once } from '../../kernel/concurrency.ts';
import { tooManyRequests } from '../../kernel/errors.ts';

/** What is held counts, whether or not somebody still waits for the answer. */
export type HoldCall = <Result>(work: Promise<Result>) => Promise<Result>;

type LimitCalls = (
  accountId: string,
  answer: (hold: HoldCall) => Promise<Response>,
) => Promise<Response>;

/**
 * Counts the calls under way per account. A call counts until its answer was sent or given up, and as long
 * as work goes on that it has begun: whoever hangs up early gains nothing by it.
 */
export const createCallLimit = (most: number): LimitCalls => {
  const underWay = new Map<string, number>();
  const add = (accountId: string, change: number) => {
    const count = (underWay.get(accountId) ?? 0) + change;
    if (count === 0) underWay.delete(accountId);
    else underWay.set(accountId, count);
  };
  return async (accountId, answer) => {
    if ((underWay.get(accountId) ?? 0) >= most) throw tooManyRequests(1);
    const { begin, end, hold } = createCall((change) => add(accountId, change));
    begin();
    const endAnswer = once(end);
    try {
      const response = await answer(hold);
      if (response.body) return new Response(watchEnd(response.body, endAnswer), response);
      endAnswer();
      return response;
    } catch (error) {
      endAnswer();
      throw error;
    }
  };
};

/** One call of several parts: it is counted from the beginning of the first to the end of the last. */
const createCall = (add: (change: number) => void) => {
  let parts = 0;
  const begin = () => {
    if (parts++ === 0) add(1);
  };
  const end = () => {
    if (--parts === 0) add(-1);
  };
  const hold: HoldCall = (work) => {
    begin();
    return work.finally(end);
  };
  return { begin, end, hold };
};

const watchEnd = (body: ReadableStream<Uint8Array>, end: () => void) => {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        end();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      end();
      controller.close();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
};
