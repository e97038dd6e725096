import { type KillProxy, startKillProxy } from './kill-proxy.ts';

/** Owns what a starting service writes to see whether its store works. */
const probesOf = '/00000000-0000-0000-0000-000000000000/';

/** Stands between the service and its store: blob writes count. */
export const startS3Proxy = (target: string): KillProxy =>
  startKillProxy({
    target,
    counts: ({ method, url }) => method === 'PUT' && !url.includes(probesOf),
  });
