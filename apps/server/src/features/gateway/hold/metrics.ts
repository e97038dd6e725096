import { Counter, Gauge, type Registry } from 'prom-client';
import type { GuildEvent } from '../../../platform/gateway/events.ts';

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

export const createGatewayMetrics = (registry: Registry) => {
  const registers = [registry];
  const bots = new Gauge({
    name: 'holdfast_gateway_bots',
    help: 'Bots that this process holds, and those of them that are connected',
    labelNames: ['state'],
    registers,
  });
  const begun = new Counter({
    name: 'holdfast_gateway_sessions_total',
    help: 'Connections to the gateway, by how they began: a new session (identify) or a resumed one',
    labelNames: ['how'],
    registers,
  });
  const events = new Counter({
    name: 'holdfast_gateway_events_total',
    help: 'Events that took effect',
    labelNames: ['kind'],
    registers,
  });
  const skipped = new Counter({
    name: 'holdfast_gateway_events_skipped_total',
    help: 'Events that could not be read or stored',
    registers,
  });
  return {
    countBegun: (how: 'identify' | 'resume') => begun.inc({ how }),
    countEvents(seen: readonly GuildEvent[]) {
      for (const { kind } of seen) events.inc({ kind });
    },
    countSkipped: (count: number) => skipped.inc(count),
    setHeld: (count: number) => bots.set({ state: 'held' }, count),
    addConnected: (change: 1 | -1) => bots.inc({ state: 'connected' }, change),
  };
};
