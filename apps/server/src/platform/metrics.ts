import { Counter, type Registry } from 'prom-client';
import { templateOf } from './template.ts';
import { noteAttempt, noteWait } from './trace-call.ts';

export type PlatformMetrics = {
  countCall(method: string, path: string, status: number): void;
  /** A call that waited for its bucket, or for the bot's global limit. */
  countWait(method: string, path: string, ms: number): void;
};

/** Calls by route and outcome; 429s show as their own status. */
export const createPlatformMetrics = (registry: Registry): PlatformMetrics => {
  const registers = [registry];
  const calls = new Counter({
    name: 'holdfast_platform_calls_total',
    help: 'Requests to the chat platform',
    labelNames: ['route', 'status'],
    registers,
  });
  const waits = new Counter({
    name: 'holdfast_platform_waits_total',
    help: 'Requests to the chat platform that were held back to keep within its limits',
    labelNames: ['route'],
    registers,
  });
  const waitSeconds = new Counter({
    name: 'holdfast_platform_wait_seconds_total',
    help: 'How long requests to the chat platform were held back',
    labelNames: ['route'],
    registers,
  });
  return {
    countCall(method, path, status) {
      noteAttempt(status);
      calls.inc({ route: routeOf(method, path), status: String(status) });
    },
    countWait(method, path, ms) {
      noteWait(ms);
      const route = routeOf(method, path);
      waits.inc({ route });
      waitSeconds.inc({ route }, Math.max(0, ms) / 1000);
    },
  };
};

const routeOf = (method: string, path: string): string => `${method} ${templateOf(path)}`;
