import type { Hono } from 'hono';
import type { HttpEnv } from '../../http/context.ts';
import { mountPlatformEvents } from './consent/platform-events.ts';
import { purgeMembersAndTokens } from './erase/purge-members.ts';
import { type MeDependencies, mountMe } from './routes.ts';

/**
 * What a person can do about their own data, over all accounts.
 *
 * - `page/`: the page and the export of what is stored about them (`personal-data.ts`).
 * - `consent/`: the person withdraws the consent to recovery on our page (`withdraw.ts`), or removes
 *   the application at the platform, which sends an event (`platform-events.ts`).
 * - `erase/`: deletes all that is stored about a person (`erase-person.ts`); and the members and
 *   tokens of a deleted server (`purge-members.ts`).
 */
export const me = {
  mount(app: Hono<HttpEnv>, dependencies: MeDependencies) {
    mountMe(app, dependencies);
    mountPlatformEvents(app, dependencies);
  },
  purgeServer: [purgeMembersAndTokens],
};
