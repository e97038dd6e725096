/**
 * Traces: what a request or a job did, step by step. This file is what all layers use of it; the library
 * and the exporter are loaded by `main/tracing/`, and only where they are configured. Without a tracer
 * every function here returns at once.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { errorCode } from './describe-error.ts';

/** Never a value of a user: no parameters, addresses, ids of people, or texts of errors. */
export type Attributes = Record<string, string | number | boolean>;
export type SpanIds = { traceId: string; spanId: string };

export type SpanStart = {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer';
  attributes: Attributes;
};

/** One step of a trace. */
export type Span = {
  ids: SpanIds;
  /** Undefined once the whole has ended, or has as many steps as one may have. */
  startChild(start: SpanStart): Span | undefined;
  rename(name: string): void;
  set(attributes: Attributes): void;
  linkTo(ids: SpanIds): void;
  /** A failure is named by a code or class, such as `23505` or `TypeError`. */
  end(failure?: string): void;
};

type Origin = {
  /** The header of a caller, which may be anything. */
  traceparent?: string | null;
  ids?: ChosenIds | undefined;
};

/** For a trace that others know the ids of beforehand. */
type ChosenIds = { traceId: string; spanId?: string };

export type Tracer = {
  /** Undefined where the sampler leaves it out. */
  startRoot(start: SpanStart, origin?: Origin): Span | undefined;
};

let tracer: Tracer | undefined;

/** One for the whole process, as its metrics are; `undefined` ends it. */
export const setTracer = (given: Tracer | undefined): void => {
  tracer = given;
};

export const isTracing = (): boolean => tracer !== undefined;

export const startRoot: Tracer['startRoot'] = (start, origin) => tracer?.startRoot(start, origin);

/** `left out`: within something that is not traced, where nothing begins a trace of its own either. */
const current = new AsyncLocalStorage<Span | 'left out'>();

/** Where there is none, nothing within is traced. */
export const within = <Result>(span: Span | undefined, work: () => Result): Result =>
  current.run(span ?? 'left out', work);

/** For work that is done for several at once: it belongs to none of them. */
export const withoutTrace = <Result>(work: () => Result): Result =>
  tracer ? within(undefined, work) : work();

export const currentSpan = (): Span | undefined => {
  const span = tracer && current.getStore();
  return span === 'left out' ? undefined : span;
};

/** As the field names them in log lines. */
export const logFieldsOf = (span: Span | undefined) =>
  span && { trace_id: span.ids.traceId, span_id: span.ids.spanId };

/** Does the work as a step of the current trace or, where there is none, as a trace of its own. */
export const inSpan = async <Result>(
  describe: () => SpanStart,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> => {
  const above = tracer && current.getStore();
  if (!tracer || above === 'left out') return work(undefined);
  const span = above ? above.startChild(describe()) : tracer.startRoot(describe());
  return span ? runAndEnd(span, work) : within(above, () => work(undefined));
};

/** Does the work as a trace of its own, whatever it was called from. */
export const inRootSpan = async <Result>(
  describe: () => SpanStart & { ids?: ChosenIds },
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!tracer) return work();
  const { ids, ...start } = describe();
  const span = tracer.startRoot(start, { ids });
  return span ? runAndEnd(span, work) : within(undefined, work);
};

const runAndEnd = async <Result>(
  span: Span,
  work: (span: Span) => Promise<Result>,
): Promise<Result> => {
  try {
    const result = await within(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(failureOf(error));
    throw error;
  }
};

/** What went wrong as a code or class: the message may quote anything. */
export const failureOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const kind: unknown = Reflect.get(error, 'kind') ?? Reflect.get(error, 'errno');
  return typeof kind === 'string' ? kind : (errorCode(error) ?? error.name);
};
