/**
 * A simulator of everything outside Holdfast: the chat platform, two payment providers and a mail
 * outbox, over HTTP and in memory. Real client libraries work against it unchanged.
 *
 * - `platform/app.ts`: the platform's API under `/api`, its images under `/cdn`
 *   - `http/` request pipeline, errors, rate limits; `guild/`, `channel/`, `member/` what a bot can do
 *   - `message/`, `thread/`, `webhook/` what is said; `invite/` who may come; `community/` what it is run with
 *   - `gateway/` the WebSocket: sessions, presences, limits; `announce/` each change as an event, and the audit log
 *   - `oauth/` authorize page and tokens; `identity/` users and applications; `cdn/` images
 *   - `demo/` the guild that open mode generates for any id
 *   - `control/` the control API for tests under `/__sim`: state, limits, faults, log
 * - `payments/`: the card provider, the crypto provider and the webhooks they send
 * - `pages/`: the HTML shell of the pages, and the outbox
 */
import { mountOutbox } from './pages/outbox.tsx';
import { mountPayments } from './payments/routes.ts';
import { createAuditLogs } from './platform/announce/audit-log.ts';
import { createPlatformApp } from './platform/app.ts';
import { persistState } from './platform/control/state-file.ts';
import { makeDemoGuild } from './platform/demo/demo-guild.ts';
import { createGateway } from './platform/gateway/gateway.ts';
import { createSocketHandler, upgradeToGateway } from './platform/gateway/socket.ts';
import type { StoredImage } from './platform/guild/guild.ts';
import { createWorld } from './platform/guild/world.ts';
import type { OnApplied } from './platform/http/pipeline.ts';
import { createIdentities } from './platform/identity/identities.ts';
import { ownerId } from './platform/identity/users.ts';

export type SimulatorOptions = {
  /** 0 takes any free port. */
  port: number;
  host?: string;
  /** Open (the default): any credentials are accepted, any guild and user id exists. */
  isOpen?: boolean;
  /** Guilds are kept in this file from one run to the next. */
  stateFile?: string;
  /** Called after a change of a guild took effect and before it is answered. */
  onApplied?: OnApplied;
};

export type { Channel, Guild } from './platform/guild/guild.ts';
export type { LogRow } from './platform/http/request-log.ts';
export type { OnApplied };

export type Simulator = { url: string; stop(): Promise<void> };

export const startSimulator = async (options: SimulatorOptions): Promise<Simulator> => {
  const { port, host = '127.0.0.1', isOpen = true, stateFile } = options;
  const platform = createPlatform(isOpen);
  const persistence = stateFile ? await persistState(platform, stateFile) : undefined;
  const app = createPlatformApp(platform, options);
  const payments = mountPayments(app);
  mountOutbox(app);
  const server = Bun.serve({
    port,
    hostname: host,
    // A request that a fault leaves hanging must stay open for as long as the client waits.
    idleTimeout: 0,
    fetch: (request, bunServer) => {
      const upgrade = upgradeToGateway(platform.gateway, request, bunServer);
      if (upgrade) return upgrade.response;
      return app.fetch(request, { remoteAddress: bunServer.requestIP(request)?.address });
    },
    websocket: createSocketHandler(platform.gateway),
  });
  return {
    url: `http://${host}:${server.port}`,
    stop: async () => {
      payments.stop();
      platform.gateway.stop();
      await server.stop(true);
      await persistence?.close();
    },
  };
};

const createPlatform = (isOpen: boolean) => {
  const images = new Map<string, StoredImage>();
  const makeGuild = (id: string) => (isOpen ? makeDemoGuild(id, ownerId, images) : undefined);
  const world = createWorld({ makeGuild, images });
  const identities = createIdentities({ isOpen, now: Date.now });
  const gateway = createGateway(world, identities);
  return { world, identities, gateway, auditLogs: createAuditLogs() };
};
