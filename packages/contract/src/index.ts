/**
 * Holdfast's API as data. Validation, encoding, the OpenAPI document, the reference pages and the SDK
 * are derived from these entries.
 *
 * - `<feature>.ts`: the schemas and endpoints of one feature; `rules.ts` has firewall and whitelist
 * - `endpoint.ts`: what an entry consists of; `fresh-second-factor.ts`: when it asks for a code
 * - `checks.ts`: what pages check before they send, free of validators
 * - `common.ts`: ids, times, text, pages; `errors.ts`: error bodies; `scopes.ts`, `plans.ts`
 * - `dashboard/`: endpoints that only a session can call; `endpoints.ts` composes them, `events.ts` is the
 *   stream that says what has changed
 * - `openapi/document.ts`: the OpenAPI 3.1 document
 */
import { accountEndpoints } from './account.ts';
import { alertEndpoints } from './alerts.ts';
import { analyticsEndpoints } from './analytics.ts';
import { appealEndpoints } from './appeals.ts';
import { auditEndpoints } from './audit.ts';
import { backupEndpoints } from './backups.ts';
import { billingEndpoints } from './billing.ts';
import { blacklistEndpoints } from './blacklist.ts';
import { botEndpoints } from './bots.ts';
import { communityEndpoints } from './community.ts';
import { contentsEndpoints } from './contents.ts';
import { healthEndpoints } from './health.ts';
import { incidentEndpoints } from './incidents.ts';
import { keyEndpoints } from './keys.ts';
import { marketplaceEndpoints } from './marketplace.ts';
import { massVerificationEndpoints } from './mass-verifications.ts';
import { memberEndpoints } from './members.ts';
import { panelEndpoints } from './panels.ts';
import { protectionEndpoints } from './protection.ts';
import { pullEndpoints } from './pulls.ts';
import { restoreEndpoints } from './restores.ts';
import { firewallEndpoints, whitelistEndpoints } from './rules.ts';
import { serverEndpoints } from './servers.ts';
import { uploadEndpoints } from './uploads.ts';
import { verifyPageEndpoints } from './verify-page.ts';

/** The whole API, by operation name. */
export const endpoints = {
  ...accountEndpoints,
  ...botEndpoints,
  ...serverEndpoints,
  ...panelEndpoints,
  ...memberEndpoints,
  ...massVerificationEndpoints,
  ...backupEndpoints,
  ...contentsEndpoints,
  ...communityEndpoints,
  ...healthEndpoints,
  ...restoreEndpoints,
  ...protectionEndpoints,
  ...incidentEndpoints,
  ...pullEndpoints,
  ...firewallEndpoints,
  ...whitelistEndpoints,
  ...blacklistEndpoints,
  ...appealEndpoints,
  ...analyticsEndpoints,
  ...alertEndpoints,
  ...marketplaceEndpoints,
  ...billingEndpoints,
  ...keyEndpoints,
  ...auditEndpoints,
  ...uploadEndpoints,
  ...verifyPageEndpoints,
};
export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

export * from './account.ts';
export * from './alerts.ts';
export * from './analytics.ts';
export * from './appeals.ts';
export * from './audit.ts';
export * from './backups.ts';
export * from './billing.ts';
export * from './blacklist.ts';
export * from './bots.ts';
export * from './checks.ts';
export * from './common.ts';
export * from './community.ts';
export * from './contents.ts';
export * from './dashboard/alerts.ts';
export * from './dashboard/drills.ts';
export * from './dashboard/endpoints.ts';
export * from './dashboard/events.ts';
export * from './dashboard/incidents.ts';
export * from './dashboard/marketplace.ts';
export * from './dashboard/members.ts';
export * from './dashboard/overview.ts';
export * from './dashboard/person.ts';
export * from './dashboard/recovery.ts';
export * from './dashboard/restores.ts';
export * from './dashboard/setup.ts';
export * from './dashboard/waves.ts';
export * from './documents.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './fresh-second-factor.ts';
export * from './health.ts';
export * from './incidents.ts';
export * from './ip-address.ts';
export * from './keys.ts';
export * from './marketplace.ts';
export * from './mass-verifications.ts';
export * from './members.ts';
export * from './not-stopped.ts';
export * from './openapi/document.ts';
export * from './orders.ts';
export * from './panels.ts';
export * from './plans.ts';
export * from './protection.ts';
export * from './pulls.ts';
export * from './restores.ts';
export * from './rules.ts';
export * from './scopes.ts';
export * from './servers.ts';
export * from './uploads.ts';
export * from './verify-page.ts';
