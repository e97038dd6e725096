import { z } from 'zod';
import { availableCores } from './available-cores.ts';

const refusal = { error: 'Must be a number from 1 to 64, or auto' };
const count = z.coerce.number().int(refusal).min(1, refusal).max(64, refusal);

/** PROCESSES: a number, or as many as there are cores. */
export const processesSetting = z.union([z.literal('auto'), count], refusal).default(1);

/** One account's changes and long reads take up to five at once: the others must have one left. */
const leastConnections = 6;

type Wanted = { processes: number | 'auto'; servesApi: boolean; dbPool: number };
type ProcessPlan = {
  count: number;
  /** What is to be said about it, if it is not what was asked for. */
  note?: string;
};

/** A number for which there are not enough connections; `auto` is lowered instead. */
export const tooManyProcesses = ({ processes, servesApi, dbPool }: Wanted): string[] => {
  if (!servesApi || processes === 'auto' || processes === 1) return [];
  const needed = processes * leastConnections;
  return dbPool >= needed
    ? []
    : [
        `PROCESSES=${processes} needs DB_POOL=${needed} or more: each process gets its share of the connections, at least ${leastConnections}`,
      ];
};

/** Only the API is served by several processes; of workers and gateways more are started by hand. */
export const planProcesses = (
  wanted: Wanted,
  { platform = process.platform, cores = availableCores() } = {},
): ProcessPlan => {
  const { processes, servesApi, dbPool } = wanted;
  if (!servesApi || processes === 1) return { count: 1 };
  if (platform !== 'linux') {
    const note = `PROCESSES=${processes}: several processes share one port on Linux only; one is started`;
    return { count: 1, note };
  }
  if (processes !== 'auto') return { count: processes };
  const count = Math.max(1, Math.min(cores, Math.floor(dbPool / leastConnections)));
  if (count === cores) return { count };
  const needed = cores * leastConnections;
  const note = `PROCESSES=auto: ${count} for ${cores} cores, because DB_POOL=${dbPool}; all would need DB_POOL=${needed}`;
  return { count, note };
};

/** Together as many as were set. */
export const connectionsOf = (place: number, count: number, dbPool: number): number =>
  Math.floor(dbPool / count) + (place < dbPool % count ? 1 : 0);
