import { Hono } from 'hono';
import { ApiError } from './api-error.ts';
import { mountBanRoutes } from './ban-routes.ts';
import { mountCdnAvatars } from './cdn-avatars.ts';
import { mountChannelRoutes } from './channel-routes.ts';
import { mountControl } from './control.ts';
import { mountEmojiRoutes } from './emoji-routes.ts';
import { createFaults } from './faults.ts';
import { mountGatewayRoutes } from './gateway-routes.ts';
import { mountGuildRoutes } from './guild-routes.ts';
import type { IdentityStore } from './identities.ts';
import { mountIdentityControl } from './identity-control.ts';
import { mountCdn } from './images.ts';
import { mountInviteRoutes } from './invite-routes.ts';
import { mountMemberRoutes } from './member-routes.ts';
import { listGuildsOf, setGuildsOf } from './memberships.ts';
import { mountMessageRoutes } from './message-routes.ts';
import { mountOAuth } from './oauth.ts';
import { mountAuthorizePage } from './oauth-authorize.ts';
import { mountOverwriteRoutes } from './overwrites.ts';
import { createPipeline, type PipelineParts } from './pipeline.ts';
import type { Platform, PlatformApp, PlatformEnv } from './platform.ts';
import { createRateLimits } from './rate-limits.ts';
import { createRequestLog } from './request-log.ts';
import { mountRoleRoutes } from './role-routes.ts';
import { mountStickerRoutes } from './sticker-routes.ts';
import { mountWebhookRoutes } from './webhook-routes.ts';

/** `/api/v10` is today's; libraries still come with the others. */
const API_PREFIXES = ['/api/v10', '/api/v9', '/api'];

/** The platform over HTTP: API, CDN and control. */
export const createPlatformApp = (
  platform: Platform & { identities: IdentityStore },
  { onApplied }: Pick<PipelineParts, 'onApplied'> = {},
): PlatformApp => {
  const { world, identities } = platform;
  const app: PlatformApp = new Hono<PlatformEnv>();
  const parts = {
    platform,
    log: createRequestLog(),
    faults: createFaults(),
    limits: createRateLimits(),
    onApplied,
  };
  app.use('/api/*', createPipeline(parts));
  const api = createApi(platform);
  mountOAuth(api, identities, { guildsOf: (userId) => listGuildsOf(world, userId) });
  mountAuthorizePage(api, identities);
  for (const prefix of API_PREFIXES) app.route(prefix, api);
  mountAuthorizePage(app, identities);
  mountCdnAvatars(app);
  mountCdn(app, world);
  mountControl(app, parts);
  mountIdentityControl(app, identities, {
    onGuildIds: (userId, guildIds) => setGuildsOf(world, userId, guildIds),
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
  mountGuildRoutes(api, platform);
  mountRoleRoutes(api, platform);
  mountChannelRoutes(api, platform);
  mountOverwriteRoutes(api, platform);
  mountMemberRoutes(api, platform);
  mountBanRoutes(api, platform);
  mountEmojiRoutes(api, platform);
  mountStickerRoutes(api, platform);
  mountMessageRoutes(api, platform);
  mountInviteRoutes(api, platform);
  mountWebhookRoutes(api, platform);
  mountGatewayRoutes(api);
  return api;
};
