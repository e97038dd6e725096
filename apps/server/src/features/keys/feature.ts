import { createAuthenticator } from './authenticate/authenticate.ts';
import { keyHandlers } from './routes.ts';

/**
 * API keys: programs authenticate with them, each limited to its scopes and, optionally, in time.
 *
 * - `rules.ts`: the format of a key and its checksum.
 * - `authenticate/`: finds the caller of a key, with a cache of one second.
 * - `routes.ts`, `queries.ts`: create, list and revoke keys. A key cannot create a stronger one.
 */
export const keys = {
  handlers: keyHandlers,
  createAuthenticator,
};
