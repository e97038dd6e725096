import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../../kernel/log.ts';
import { failureOf } from '../../kernel/tracing.ts';
import { parsePairs, type TracingSettings } from './settings.ts';
import type { TraceMetrics } from './trace-metrics.ts';

type Dependencies = { log: Log; metrics: TraceMetrics };
type OnResult = (result: ExportResult) => void;

const mostInBatch = 512;
/** Of one batch with all its attempts: also where the collector answers a byte at a time. */
const longestExportMs = 15_000;

/**
 * Sends spans in batches, one batch at a time. Up to `mostWaiting` wait or are under way; the rest is
 * dropped and counted. Nothing here is waited for by a request.
 */
export const exportSpans = (
  settings: TracingSettings,
  { log, metrics }: Dependencies,
): SpanProcessor => {
  const { url, headers, sendEveryMs, mostWaiting } = settings;
  const given = headers && parsePairs(headers.reveal());
  const exporter = new OTLPTraceExporter({ url, ...(given && { headers: given }) });
  const tellChange = createTeller(log);
  let waiting = 0;

  const onExported = (count: number, { code, error }: ExportResult): void => {
    waiting -= count;
    const isTaken = code === ExportResultCode.SUCCESS;
    if (isTaken) metrics.countExported(count);
    else metrics.countDropped('export_failed', count);
    tellChange(isTaken, error);
  };
  const counted: SpanExporter = {
    export(spans, onResult) {
      const settle = settleOnce((result) => {
        onExported(spans.length, result);
        onResult(result);
      });
      exporter.export(spans, settle);
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: mostWaiting,
    maxExportBatchSize: Math.min(mostInBatch, mostWaiting),
    scheduledDelayMillis: sendEveryMs,
    // Its own limit comes after ours, by which a batch is always counted.
    exportTimeoutMillis: longestExportMs * 2,
  });
  return {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      if (waiting >= mostWaiting) return metrics.countDropped('queue_full', 1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
};

/** The first result counts; without one in time it is a failure. */
const settleOnce = (onResult: OnResult): OnResult => {
  let isSettled = false;
  const settle: OnResult = (result) => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    onResult(result);
  };
  const error = new DOMException('The collector took too long', 'TimeoutError');
  const late = { code: ExportResultCode.FAILED, error };
  const timer = setTimeout(settle, longestExportMs, late);
  timer.unref();
  return settle;
};

/** One line when it begins to fail and one when it works again. */
const createTeller = (log: Log) => {
  let wasTaken = true;
  return (isTaken: boolean, error: Error | undefined): void => {
    if (isTaken === wasTaken) return;
    wasTaken = isTaken;
    // Not the error itself, which holds the collector's answer.
    const reason = failureOf(error);
    if (isTaken) log.info('the collector takes traces again');
    else log.warn({ reason }, 'traces cannot be sent to the collector: they are lost');
  };
};
