/**
 * Traces by OpenTelemetry: the tracer that `kernel/tracing.ts` is given, and the way to the collector.
 * Loaded only where a collector is configured. `spans.ts` makes spans; `export-spans.ts` sends them, and
 * bounds what waits to be sent.
 */
import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Registry } from 'prom-client';
import packageJson from '../../../package.json';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { setTracer, type Tracer } from '../../kernel/tracing.ts';
import { exportSpans } from './export-spans.ts';
import type { TracingSettings } from './settings.ts';
import { createSpans } from './spans.ts';
import { createTraceMetrics } from './trace-metrics.ts';

/** How long a process that stops waits for the collector to take the last spans. */
const flushMs = 3000;
/** Longer ones are cut: no text that is sent is worth more. */
const longestAttribute = 1024;

type Dependencies = { log: Log; registry: Registry };

export const openTracing = (settings: TracingSettings, { log, registry }: Dependencies) => {
  const metrics = createTraceMetrics(registry);
  const ids = createIds();
  const provider = new TracerProvider({
    resource: resourceOf(settings),
    // What is left out never reaches it.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: longestAttribute },
    spanProcessors: [exportSpans(settings, { log, metrics })],
  });
  const spans = createSpans(provider.getTracer('holdfast', packageJson.version), metrics);

  const tracer: Tracer = {
    startRoot(start, { traceparent, ids: chosen } = {}) {
      // By chance and not by the trace's id, which a stranger can choose.
      if (Math.random() >= settings.sampledShare) return undefined;
      ids.chooseNext(chosen);
      return spans.startRoot(start, contextOf(traceparent));
    },
  };
  setTracer(tracer);
  return {
    async close(): Promise<void> {
      setTracer(undefined);
      const flushed = provider.shutdown().catch(() => undefined);
      await Promise.race([flushed, Bun.sleep(flushMs)]);
    },
  };
};

/** Each process is an instance of its own, so nobody can give one id to several. */
const resourceOf = ({ resourceAttributes }: TracingSettings) =>
  resourceFromAttributes({
    'service.version': packageJson.version,
    ...resourceAttributes,
    'service.instance.id': newId(),
    'process.pid': process.pid,
  });

/** Of the caller's header only the ids are used. What is not of the standard's form is as if not sent. */
const contextOf = (traceparent: string | null | undefined) => {
  const caller = traceparent ? parseTraceParent(traceparent) : null;
  if (!caller) return ROOT_CONTEXT;
  const { traceId, spanId } = caller;
  const remote = { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, remote);
};

/** Random ids, except for a trace whose id is known beforehand. */
const createIds = () => {
  const random = new RandomIdGenerator();
  let chosen: { traceId: string; spanId?: string } | undefined;
  return {
    /** The span that is started next, in the same turn. */
    chooseNext(ids: typeof chosen) {
      chosen = ids;
    },
    generateSpanId: () => chosen?.spanId ?? random.generateSpanId(),
    /** Asked for last, and for a span without another above it only. */
    generateTraceId() {
      const traceId = chosen?.traceId ?? random.generateTraceId();
      chosen = undefined;
      return traceId;
    },
  };
};
