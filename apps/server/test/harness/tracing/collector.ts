import { expect } from 'bun:test';
import { eventually } from '../eventually.ts';
import { decodeSpans, type ReceivedSpan } from './otlp.ts';

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** A receiver of OTLP over HTTP that remembers all it gets. */
export const startCollector = () => {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: Headers[] = [];
  let behaviour: 'takes' | 'refuses' | 'hangs' = 'takes';

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      expect(request.method).toBe('POST');
      const body = Buffer.from(await request.arrayBuffer());
      headers.push(request.headers);
      if (behaviour === 'hangs') return new Promise<Response>(() => undefined);
      if (behaviour === 'refuses') return new Response('no', { status: 400 });
      expect(new URL(request.url).pathname).toBe('/v1/traces');
      expect(request.headers.get('content-type')).toBe('application/x-protobuf');
      bodies.push(body);
      spans.push(...decodeSpans(body));
      // An empty answer is an ExportTraceServiceResponse without a partial failure.
      return new Response(null, { headers: { 'content-type': 'application/x-protobuf' } });
    },
  });

  const childrenOf = ({ traceId, spanId }: ReceivedSpan) =>
    spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId);

  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    headers,
    /** All bytes of all exports. */
    bytes: () => Buffer.concat(bodies),
    become(next: typeof behaviour) {
      behaviour = next;
    },
    childrenOf,
    /** The request's span, once it has arrived. */
    requestOf: (requestId: string | null): Promise<ReceivedSpan> =>
      eventually(10_000, () => {
        const found = spans.find((span) => span.attributes['holdfast.request.id'] === requestId);
        if (!found) throw new Error(`No span of the request ${requestId}`);
        return found;
      }),
    find: (name: string, traceId?: string): Promise<ReceivedSpan> =>
      eventually(15_000, () => {
        const found = spans.find(
          (span) => span.name === name && (traceId === undefined || span.traceId === traceId),
        );
        if (!found) throw new Error(`No span ${name} among ${spans.map((span) => span.name)}`);
        return found;
      }),
    stop: () => server.stop(true),
  };
};
