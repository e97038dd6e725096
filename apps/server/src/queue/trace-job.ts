import { inRootSpan, inSpan, type SpanIds } from '../kernel/tracing.ts';

const attributesOf = (queue: string) => ({
  'messaging.system': 'pg-boss',
  'messaging.destination.name': queue,
});

/** A job's entry in the queue, with what pg-boss tells of it where it is asked to. */
type Entry = { id: string; retryCount?: number; startedOn?: Date; startAfter?: Date };

/**
 * A job's trace has the job's own id, so that whoever queues it can name that trace without a word in
 * the payload. All attempts are in it.
 */
const idsOf = (jobId: string): SpanIds => {
  const traceId = jobId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(0, 16) };
};

/** Queueing is a step of what queues, with a link to the first attempt. */
export const traceEnqueue = (queue: string, send: () => Promise<string | null>): Promise<void> =>
  inSpan(
    () => ({
      ...{ name: `send ${queue}`, kind: 'producer' },
      attributes: { ...attributesOf(queue), 'messaging.operation.type': 'send' },
    }),
    async (span) => {
      const id = await send();
      if (!span || id === null) return;
      span.set({ 'messaging.message.id': id });
      span.linkTo(idsOf(id));
    },
  );

export const traceRun = (
  queue: string,
  { id, retryCount = 0, startedOn, startAfter }: Entry,
  run: () => Promise<void>,
): Promise<void> =>
  inRootSpan(() => {
    const dueMs = startedOn && startAfter && startedOn.getTime() - startAfter.getTime();
    const { traceId, spanId } = idsOf(id);
    return {
      ...{ name: `process ${queue}`, kind: 'consumer' },
      attributes: {
        ...attributesOf(queue),
        'messaging.operation.type': 'process',
        'messaging.message.id': id,
        'holdfast.job.attempt': retryCount + 1,
        ...(dueMs !== undefined && { 'holdfast.job.due_ms': Math.max(0, dueMs) }),
      },
      // A further attempt is a span of its own.
      ids: retryCount === 0 ? { traceId, spanId } : { traceId },
    };
  }, run);
