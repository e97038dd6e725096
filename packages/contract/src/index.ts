import { accountEndpoints } from './account.ts';
import { analyticsEndpoints } from './analytics.ts';
import { appealEndpoints } from './appeals.ts';
import { auditEndpoints } from './audit.ts';
import { backupEndpoints } from './backups.ts';
import { billingEndpoints } from './billing.ts';
import { blacklistEndpoints } from './blacklist.ts';
import { botEndpoints } from './bots.ts';
import { firewallEndpoints } from './firewall.ts';
import { keyEndpoints } from './keys.ts';
import { marketplaceEndpoints } from './marketplace.ts';
import { memberEndpoints } from './members.ts';
import { pullEndpoints } from './pulls.ts';
import { restoreEndpoints } from './restores.ts';
import { serverEndpoints } from './servers.ts';
import { whitelistEndpoints } from './whitelist.ts';

/** The whole API, by operation name. */
export const endpoints = {
  ...accountEndpoints,
  ...botEndpoints,
  ...serverEndpoints,
  ...memberEndpoints,
  ...backupEndpoints,
  ...restoreEndpoints,
  ...pullEndpoints,
  ...firewallEndpoints,
  ...whitelistEndpoints,
  ...blacklistEndpoints,
  ...appealEndpoints,
  ...analyticsEndpoints,
  ...marketplaceEndpoints,
  ...billingEndpoints,
  ...keyEndpoints,
  ...auditEndpoints,
};
export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

export * from './account.ts';
export * from './analytics.ts';
export * from './appeals.ts';
export * from './audit.ts';
export * from './backups.ts';
export * from './billing.ts';
export * from './blacklist.ts';
export * from './bots.ts';
export * from './bounds.ts';
export * from './common.ts';
export * from './country-codes.ts';
export * from './dangerous-permissions.ts';
export * from './dashboard.ts';
export * from './dashboard-billing.ts';
export * from './dashboard-market.ts';
export * from './dashboard-views.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './firewall.ts';
export * from './fresh-second-factor.ts';
export * from './ip-address.ts';
export * from './keys.ts';
export * from './marketplace.ts';
export * from './members.ts';
export * from './money.ts';
export * from './openapi.ts';
export * from './orders.ts';
export * from './plans.ts';
export * from './prefix.ts';
export * from './pulls.ts';
export * from './restores.ts';
export * from './rule.ts';
export * from './scopes.ts';
export * from './servers.ts';
export * from './whitelist.ts';
