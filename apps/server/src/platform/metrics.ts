import { Counter, type Registry } from 'prom-client';

export type PlatformMetrics = {
  countCall(method: string, path: string, status: number): void;
};

/** Calls by route and outcome; 429s show as their own status. Ids are folded, or each guild had a series. */
export const createPlatformMetrics = (registry: Registry): PlatformMetrics => {
  const calls = new Counter({
    name: 'holdfast_platform_calls_total',
    help: 'Requests to the chat platform',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  return {
    countCall(method, path, status) {
      const route = `${method} ${path.replace(/^.*?\/v\d+/, '').replace(/\d{5,}/g, ':id')}`;
      calls.inc({ route, status: String(status) });
    },
  };
};
