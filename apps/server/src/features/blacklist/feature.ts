import { blacklistHandlers } from './routes.ts';

/**
 * The blacklist of an account: platform users who are blocked on all its servers.
 *
 * `verification` blocks them (`isBlacklisted` in `queries.ts`). `members` marks the rows of a person
 * whose entry is added or deleted, so that they cannot be pulled; `main` hands that function down.
 */
export const blacklist = { handlers: blacklistHandlers };
