import { mountPayments } from './payments/mount-payments.ts';
import { createPlatformApp } from './platform/app.ts';
import { makeDemoGuild } from './platform/demo-guild.ts';
import type { StoredImage } from './platform/guild-state.ts';
import { createIdentities } from './platform/identities.ts';
import { ownerId } from './platform/oauth-pretend-users.ts';
import type { OnApplied } from './platform/pipeline.ts';
import { keepStateInFile } from './platform/state-file.ts';
import { createWorld } from './platform/world.ts';

export type SimulatorOptions = {
  /** 0 takes any free port. */
  port: number;
  host?: string;
  /** Open (the default): any credentials are accepted, any guild and user id exists. */
  isOpen?: boolean;
  /** Guilds are kept in this file from one run to the next. */
  stateFile?: string;
  /** Hears of every change of a guild when it has just taken effect, before it is answered. */
  onApplied?: OnApplied;
};

export type { Channel, Guild } from './platform/guild-state.ts';
export type { LogRow } from './platform/request-log.ts';
export type { OnApplied };

export type Simulator = { url: string; stop(): Promise<void> };

export const startSimulator = async (options: SimulatorOptions): Promise<Simulator> => {
  const { port, host = '127.0.0.1', isOpen = true, stateFile } = options;
  const platform = createPlatform(isOpen);
  const keeper = stateFile ? await keepStateInFile(platform, stateFile) : undefined;
  const app = createPlatformApp(platform, options);
  const payments = mountPayments(app);
  const server = Bun.serve({
    port,
    hostname: host,
    // A request that a fault leaves hanging must stay open for as long as the client waits.
    idleTimeout: 0,
    fetch: (request, bunServer) =>
      app.fetch(request, { remoteAddress: bunServer.requestIP(request)?.address }),
  });
  return {
    url: `http://${host}:${server.port}`,
    stop: async () => {
      payments.stop();
      await server.stop(true);
      await keeper?.close();
    },
  };
};

const createPlatform = (isOpen: boolean) => {
  const images = new Map<string, StoredImage>();
  const makeGuild = (id: string) => (isOpen ? makeDemoGuild(id, ownerId, images) : undefined);
  const world = createWorld({ makeGuild, images });
  return { world, identities: createIdentities({ isOpen, now: Date.now }) };
};
