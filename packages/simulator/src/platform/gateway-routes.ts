import { demandBot } from './access.ts';
import type { PlatformApp } from './platform.ts';

/** Only where the gateway would be: libraries ask before they connect. */
export const mountGatewayRoutes = (app: PlatformApp) => {
  app.get('/gateway', (c) => c.json({ url: gatewayUrl(c.req.url) }));
  app.get('/gateway/bot', (c) => {
    demandBot(c);
    return c.json({
      url: gatewayUrl(c.req.url),
      shards: 1,
      session_start_limit: {
        total: 1000,
        remaining: 1000,
        reset_after: 86_400_000,
        max_concurrency: 1,
      },
    });
  });
};

const gatewayUrl = (requestUrl: string): string => `ws://${new URL(requestUrl).host}/gateway`;
