import { Registry } from 'prom-client';
import { createLog } from '../../../src/kernel/log.ts';
import { readConfig } from '../../../src/main/config.ts';
import { openTracing } from '../../../src/main/tracing/open-tracing.ts';
import type { Collector } from './collector.ts';

/** Traces of this process, by what an operator sets, until it is closed. */
export const traceTo = (collector: Collector, settings: Record<string, string> = {}) => {
  const { tracing } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...settings,
  });
  if (!tracing) throw new Error('Not configured');
  const registry = new Registry();
  const logLines: string[] = [];
  const log = createLog({ write: (line) => logLines.push(line) });
  const { close } = openTracing(tracing, { log, registry });
  return {
    close,
    logLines,
    async dropped(reason: string): Promise<number> {
      const metric = await registry.getSingleMetric('holdfast_trace_spans_dropped_total')?.get();
      return metric?.values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
    },
  };
};
