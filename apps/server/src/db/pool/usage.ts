import { Gauge, type Registry } from 'prom-client';

type PoolState = {
  name: string;
  size: number;
  /** Statements and transactions that have a connection or wait for one. */
  wanted: number;
};

/** All pools of this process, by whoever opened them: metrics are of a process, too. */
const pools = new Set<() => PoolState>();

/** Shows the pool in the metrics until the returned function is called. */
export const trackPool = (read: () => PoolState): (() => void) => {
  pools.add(read);
  return () => {
    pools.delete(read);
  };
};

/** Adds gauges that are read only when somebody asks for the metrics. */
export const observePools = (registry: Registry): void => {
  const registers = [registry];
  new Gauge({
    name: 'holdfast_db_pool_size',
    help: 'Connections that a pool may open',
    labelNames: ['pool'],
    registers,
    collect() {
      this.reset();
      for (const { name, size } of listPools()) this.set({ pool: name }, size);
    },
  });
  new Gauge({
    name: 'holdfast_db_pool_connections',
    help: 'Connections of a pool by use; a free one may be open or not',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { name, size, wanted } of listPools()) {
        const used = Math.min(size, wanted);
        this.set({ pool: name, state: 'used' }, used);
        this.set({ pool: name, state: 'free' }, size - used);
      }
    },
  });
  new Gauge({
    name: 'holdfast_db_pool_waiting',
    help: 'Statements and transactions for which a pool has no connection left',
    labelNames: ['pool'],
    registers,
    collect() {
      this.reset();
      for (const { name, size, wanted } of listPools()) {
        this.set({ pool: name }, Math.max(0, wanted - size));
      }
    },
  });
};

/** Pools of one name, such as the two that listen, count as one. */
const listPools = (): PoolState[] => {
  const byName = new Map<string, PoolState>();
  for (const read of pools) {
    const { name, size, wanted } = read();
    const known = byName.get(name) ?? { name, size: 0, wanted: 0 };
    byName.set(name, { name, size: known.size + size, wanted: known.wanted + wanted });
  }
  return [...byName.values()];
};
