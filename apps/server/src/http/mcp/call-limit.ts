import { once } from '../../kernel/concurrency.ts';
import { tooManyRequests } from '../../kernel/errors.ts';

type LimitCalls = (accountId: string, answer: () => Promise<Response>) => Promise<Response>;

/** Counts the calls under way per account; an answer counts until its body was sent or given up. */
export const createCallLimit = (most: number): LimitCalls => {
  const underWay = new Map<string, number>();
  const add = (accountId: string, change: number) => {
    const count = (underWay.get(accountId) ?? 0) + change;
    if (count === 0) underWay.delete(accountId);
    else underWay.set(accountId, count);
  };
  return async (accountId, answer) => {
    if ((underWay.get(accountId) ?? 0) >= most) throw tooManyRequests(1);
    add(accountId, 1);
    const end = once(() => add(accountId, -1));
    try {
      const response = await answer();
      if (response.body) return new Response(watchEnd(response.body, end), response);
      end();
      return response;
    } catch (error) {
      end();
      throw error;
    }
  };
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
