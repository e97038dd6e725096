import { currentSpan, inSpan, type Span } from '../kernel/tracing.ts';
import { templateOf } from './template.ts';

type TracedCall = { method: string; url: string; path: string };

/** What was noted of each call that is traced. */
const calls = new WeakMap<Span, { attempts: number; waitedMs: number }>();

/** One call with all its waits and attempts. `path` may have ids and tokens: only its pattern is kept. */
export const traceCall = <Result>(
  { method, url, path }: TracedCall,
  work: () => Promise<Result>,
): Promise<Result> =>
  inSpan(
    () => {
      const template = templateOf(path);
      const attributes = {
        'http.request.method': method,
        'url.template': template,
        'server.address': new URL(url).hostname,
      };
      return { name: `${method} ${template}`, kind: 'client', attributes };
    },
    (span) => {
      if (span) calls.set(span, { attempts: 0, waitedMs: 0 });
      return work();
    },
  );

/** One attempt of the call that is under way was answered. */
export const noteAttempt = (status: number): void => {
  const span = currentSpan();
  const call = span && calls.get(span);
  if (!call) return;
  call.attempts += 1;
  span.set({ 'http.response.status_code': status });
  if (call.attempts > 1) span.set({ 'http.request.resend_count': call.attempts - 1 });
};

/** The call that is under way was held back. */
export const noteWait = (ms: number): void => {
  const span = currentSpan();
  const call = span && calls.get(span);
  if (!call) return;
  call.waitedMs += Math.max(0, ms);
  span.set({ 'holdfast.platform.wait_ms': Math.round(call.waitedMs) });
};
