import type { Context, Hono } from 'hono';
import type { Application, Identities } from './identity-types.ts';
import type { World } from './world.ts';

/** What every route works with. */
export type Platform = { world: World; identities: Identities };

export type PlatformEnv = {
  Bindings: { remoteAddress?: string };
  Variables: {
    /** The application behind "Authorization: Bot …"; absent for other requests. */
    bot: Application | undefined;
  };
};

export type PlatformContext = Context<PlatformEnv>;
export type PlatformApp = Hono<PlatformEnv>;
