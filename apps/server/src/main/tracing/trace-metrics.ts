import { Counter, type Registry } from 'prom-client';

type DropReason = 'queue_full' | 'export_failed' | 'too_many_steps';

export type TraceMetrics = ReturnType<typeof createTraceMetrics>;

export const createTraceMetrics = (registry: Registry) => {
  const registers = [registry];
  const exported = new Counter({
    name: 'holdfast_trace_spans_exported_total',
    help: 'Spans that the collector took',
    registers,
  });
  const dropped = new Counter({
    name: 'holdfast_trace_spans_dropped_total',
    help: 'Spans that were not exported',
    labelNames: ['reason'],
    registers,
  });
  return {
    countExported: (spans: number) => exported.inc(spans),
    countDropped: (reason: DropReason, spans: number) => dropped.inc({ reason }, spans),
  };
};
