import { Hono } from 'hono';
import { byNobody } from './announce/announce.ts';
import { mountAuditRoutes } from './announce/audit-routes.ts';
import { announceUser } from './announce/user.ts';
import { mountCdn } from './cdn/images.ts';
import { mountOverwriteRoutes } from './channel/overwrites.ts';
import { mountChannelRoutes } from './channel/routes.ts';
import { mountAnswerControl } from './community/answer-onboarding.ts';
import { mountAutomodRoutes } from './community/automod-routes.ts';
import { mountEventRoutes } from './community/event-routes.ts';
import { mountOnboardingRoutes } from './community/onboarding-routes.ts';
import { mountSoundRoutes } from './community/sound-routes.ts';
import { mountWelcomeRoutes } from './community/welcome-routes.ts';
import { createFaults } from './control/faults.ts';
import { mountIdentityControl } from './control/identity-routes.ts';
import { mountControl } from './control/routes.ts';
import { mountGatewayControl } from './gateway/control.ts';
import type { GatewayServer } from './gateway/gateway.ts';
import { mountGatewayRoutes } from './gateway/routes.ts';
import { mountExpressionRoutes } from './guild/expression-routes.ts';
import { mountIncidentRoutes } from './guild/incident-routes.ts';
import { mountIntegrationRoutes } from './guild/integration-routes.ts';
import { mountRoleRoutes } from './guild/role-routes.ts';
import { mountGuildRoutes } from './guild/routes.ts';
import { ApiError } from './http/api-error.ts';
import { createPipeline, type OnApplied } from './http/pipeline.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { createRequestLog } from './http/request-log.ts';
import type { IdentityStore } from './identity/identities.ts';
import { mountJoinControl } from './invite/join.ts';
import { mountInviteRoutes } from './invite/routes.ts';
import { mountAddBotControl } from './member/add-bot.ts';
import { mountBanRoutes } from './member/ban-routes.ts';
import { listGuildsOf, setGuildsOf } from './member/memberships.ts';
import { mountPruneRoutes } from './member/prune-routes.ts';
import { mountMemberRoutes } from './member/routes.ts';
import { mountMessageRoutes } from './message/routes.ts';
import { mountAuthorizePage } from './oauth/authorize.ts';
import { mountBotInvites } from './oauth/invite-bot.ts';
import { mountOAuth } from './oauth/routes.ts';
import type { Platform, PlatformApp, PlatformEnv } from './platform.ts';
import { mountPortal } from './portal/routes.ts';
import { mountThreadRoutes } from './thread/routes.ts';
import { mountWebhookMessageRoutes } from './webhook/message-routes.ts';
import { mountWebhookRoutes } from './webhook/routes.ts';

/** `/api/v10` is the current version; libraries still use the others. */
const API_PREFIXES = ['/api/v10', '/api/v9', '/api'];

/** The platform over HTTP: API, CDN and control API. */
export const createPlatformApp = (
  platform: Platform & { identities: IdentityStore; gateway: GatewayServer },
  { onApplied }: { onApplied?: OnApplied } = {},
): PlatformApp => {
  const { world, identities, gateway } = platform;
  const app: PlatformApp = new Hono<PlatformEnv>();
  const dependencies = {
    platform,
    log: createRequestLog(),
    faults: createFaults(),
    limits: createRateLimits(),
    latency: { ms: 0 },
    onApplied,
  };
  app.use('/api/*', createPipeline(dependencies));
  const api = createApi(platform);
  mountGatewayRoutes(api, gateway);
  mountOAuth(api, identities, (userId) => listGuildsOf(world, userId));
  mountAuthorizePage(api, identities);
  for (const prefix of API_PREFIXES) app.route(prefix, api);
  mountBotInvites(app, platform);
  mountAuthorizePage(app, identities);
  mountPortal(app, platform);
  mountCdn(app, world.images);
  mountControl(app, dependencies);
  mountJoinControl(app, platform);
  mountAddBotControl(app, platform);
  mountAnswerControl(app, platform);
  mountGatewayControl(app, gateway);
  mountIdentityControl(app, identities, {
    setGuildsOfUser: (c, userId, guildIds) => setGuildsOf(platform, byNobody(c), userId, guildIds),
    tellOfUser: (c, userId) => announceUser(platform, byNobody(c), userId),
    endRefusedSessions: gateway.endRefused,
  });
  app.onError((error, c) => {
    if (error instanceof ApiError) return c.json(error.body, error.status);
    process.stderr.write(`${error.stack ?? error.message}\n`);
    return c.json({ message: '500: Internal Server Error', code: 0 }, 500);
  });
  app.notFound((c) => c.json({ message: '404: Not Found', code: 0 }, 404));
  return app;
};

const createApi = (platform: Platform): PlatformApp => {
  const api: PlatformApp = new Hono<PlatformEnv>();
  const mounts = [
    // Before the channels, whose paths threads share.
    mountThreadRoutes,
    ...[mountGuildRoutes, mountRoleRoutes, mountChannelRoutes, mountOverwriteRoutes],
    ...[mountMemberRoutes, mountBanRoutes, mountExpressionRoutes, mountMessageRoutes],
    ...[mountAutomodRoutes, mountOnboardingRoutes, mountWelcomeRoutes],
    ...[mountEventRoutes, mountSoundRoutes, mountIntegrationRoutes],
    ...[mountPruneRoutes, mountIncidentRoutes],
    ...[mountInviteRoutes, mountWebhookRoutes, mountWebhookMessageRoutes, mountAuditRoutes],
  ];
  for (const mount of mounts) mount(api, platform);
  return api;
};
