import {
  type Context,
  type Tracer as OtelTracer,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Span, SpanStart } from '../../kernel/tracing.ts';
import type { TraceMetrics } from './trace-metrics.ts';

/** A restore of hours takes many thousand steps: the first of them show how it goes. */
const mostSteps = 1000;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Of one request or job, as far as this process does it. */
type Whole = { hasEnded: boolean; steps: number };

/** Spans of the library, of which a request or job has a bounded number, and none after its end. */
export const createSpans = (tracer: OtelTracer, metrics: TraceMetrics) => {
  const start = ({ name, kind, attributes }: SpanStart, context: Context, whole: Whole): Span => {
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context);
    const { traceId, spanId } = span.spanContext();
    const isWhole = whole.steps === 0;
    whole.steps += 1;
    return {
      ids: { traceId, spanId },
      startChild(child) {
        if (whole.hasEnded) return undefined;
        if (whole.steps > mostSteps) {
          metrics.countDropped('too_many_steps', 1);
          return undefined;
        }
        return start(child, trace.setSpan(context, span), whole);
      },
      rename: (newName) => span.updateName(newName),
      set: (more) => span.setAttributes(more),
      linkTo: (ids) => span.addLink({ context: { ...ids, traceFlags: TraceFlags.NONE } }),
      end(failure) {
        if (!span.isRecording()) return;
        if (isWhole) whole.hasEnded = true;
        if (failure !== undefined) {
          span.setAttribute('error.type', failure);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  };
  return {
    startRoot: (given: SpanStart, context: Context): Span =>
      start(given, context, { hasEnded: false, steps: 0 }),
  };
};
