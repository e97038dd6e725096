import { requireBot } from '../http/access.ts';
import type { PlatformApp } from '../platform.ts';
import type { GatewayServer } from './gateway.ts';
import { budgetOf } from './identify.ts';
import { recordOf } from './state.ts';

/** Where the gateway is, and how often the bot may still begin a session. */
export const mountGatewayRoutes = (app: PlatformApp, { state }: GatewayServer) => {
  const urlOf = (requestUrl: string) => `ws://${new URL(requestUrl).host}/gateway`;
  app.get('/gateway', (c) => c.json({ url: urlOf(c.req.url) }));
  app.get('/gateway/bot', (c) => {
    const bot = requireBot(c);
    const session_start_limit = budgetOf(state, recordOf(state, bot.id));
    return c.json({ url: urlOf(c.req.url), shards: 1, session_start_limit });
  });
};
