import { dashboardEndpoints, endpoints, openApiDocument } from '@holdfast/contract';
import type { Hono } from 'hono';
import packageJson from '../../package.json';
import type { Database, Queryable } from '../db/connect.ts';
import { overviewHandlers } from '../features/overview/dashboard/routes.ts';
import { accountHandlers } from '../features/overview/routes.ts';
import { accountDeletionHandlers } from '../features/account-deletion/routes.ts';
import { analyticsHandlers } from '../features/analytics/routes.ts';
import { auditHandlers, chainHandlers } from '../features/audit/routes.ts';
import { countBackupsOfServer } from '../features/backups/queries.ts';
import { backupHandlers, backupUsageHandlers } from '../features/backups/routes.ts';
import { mountCardWebhook } from '../features/billing/card/webhook.ts';
import { mountCryptoWebhook } from '../features/billing/crypto/webhook.ts';
import { mountPayPages } from '../features/billing/pay/pages.tsx';
import { payHandlers } from '../features/billing/pay/routes.ts';
import { billingHandlers, standingHandlers } from '../features/billing/routes.ts';
import type { BillingSettings } from '../features/billing/tools.ts';
import { blacklistHandlers } from '../features/blacklist/routes.ts';
import { botHandlers } from '../features/bots/routes.ts';
import { createTokenCheck } from '../features/bots/token-check.ts';
import type { BotOwner } from '../features/bots/use-bot.ts';
import { firewallHandlers } from '../features/firewall/routes.ts';
import { firewallRules } from '../features/firewall/table.ts';
import { createAuthenticator } from '../features/keys/authenticate.ts';
import { keyHandlers } from '../features/keys/routes.ts';
import { ownListingHandlers } from '../features/marketplace/listings/routes.ts';
import { createOrderDesk } from '../features/marketplace/orders/desk.ts';
import { ownOrderHandlers } from '../features/marketplace/orders/routes.ts';
import { marketplaceHandlers } from '../features/marketplace/routes.ts';
import { mountPlatformEvents } from '../features/me/platform-events.ts';
import { mountMe } from '../features/me/routes.ts';
import { countMembers, countTokens, markMembers } from '../features/members/queries.ts';
import { memberHandlers } from '../features/members/routes.ts';
import type { PlanTable } from '../features/plans/plans.ts';
import { planHandlers } from '../features/plans/routes.ts';
import { countPullsOfServer } from '../features/pulls/queries.ts';
import { pullHandlers } from '../features/pulls/routes.ts';
import { restoreFollowHandlers } from '../features/restores/following/routes.ts';
import { createPreview } from '../features/restores/preview-restore.ts';
import { restoreHandlers } from '../features/restores/routes.ts';
import { countRules } from '../features/rules/queries.ts';
import { glanceAtGuild } from '../features/servers/guild-look.ts';
import { createGuildView } from '../features/servers/guild-view.ts';
import { findOwnedServer } from '../features/servers/queries.ts';
import { guildHandlers, type ServerCounts, serverHandlers } from '../features/servers/routes.ts';
import { bySession } from '../features/sessions/entrance.ts';
import { mountPictures } from '../features/sessions/pictures.ts';
import { sessionHandlers } from '../features/sessions/routes.ts';
import { mountCodePage } from '../features/sessions/second-factor/code-page.tsx';
import { secondFactorHandlers } from '../features/sessions/second-factor/routes.ts';
import { mountSignIn } from '../features/sessions/sign-in.tsx';
import { holdAccount } from '../features/accounts/queries.ts';
import { appealFindHandlers, appealHandlers } from '../features/verification/appeals/routes.ts';
import type { CaptchaSettings } from '../features/verification/captcha/provider.ts';
import { mountVerification } from '../features/verification/mount.ts';
import { whitelistHandlers } from '../features/whitelist/routes.ts';
import { whitelistRules } from '../features/whitelist/table.ts';
import type { HttpEnv } from '../http/admission.ts';
import { createHttpApp } from '../http/app.ts';
import { makeAsset, sendAsset } from '../http/assets.ts';
import { byKey } from '../http/bearer.ts';
import type { ClientAddress } from '../http/client-address.ts';
import type { OwnedServer } from '../http/handler.ts';
import { mountApi } from '../http/ladder.ts';
import { mountOperations } from '../http/operations.ts';
import { mountPageStyle } from '../http/pages/page.tsx';
import { mountPlaceholders, pictureFrom } from '../http/placeholders.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { mountReference } from '../http/reference/mount-reference.tsx';
import { createAccountTurns } from '../http/turns.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { once } from '../kernel/once.ts';
import type { KeyRing } from '../kernel/seal.ts';
import type { Secret } from '../kernel/secret.ts';
import type { SealedBlobs } from '../integrations/blobs/sealed-blobs.ts';
import type { IpData } from '../integrations/ip-data/open-ip-data.ts';
import type { Platform } from '../platform/port.ts';
import type { OAuthClient, PlatformOAuth } from '../platform/port-oauth.ts';
import type { Queue } from '../queue/queue.ts';
import { createPayProviders, type PayAccess } from './payments.ts';

export type AppTools = {
  db: Database;
  isDatabaseReachable(): boolean;
  awaitDatabase?(): Promise<void> | undefined;
  patience?: number;
  queue: Queue;
  ring: KeyRing;
  platform: Platform;
  oauth: PlatformOAuth;
  /** The application that people sign in through. */
  signInClient: OAuthClient;
  ipData: Pick<IpData, 'look'>;
  captcha: CaptchaSettings;
  billing: BillingSettings;
  pay: PayAccess;
  blobs: SealedBlobs;
  plans: PlanTable;
  rateLimit: RateLimit;
  clientAddress: ClientAddress;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  metricsToken: Secret | undefined;
  baseUrl: string;
};

type WorkerTools = Pick<
  AppTools,
  'isDatabaseReachable' | 'awaitDatabase' | 'queue' | 'log' | 'metrics' | 'metricsToken' | 'baseUrl'
>;

/** What every process answers, a worker too: whether it lives, and its measurements. */
export const createWorkerApp = (tools: WorkerTools): Hono<HttpEnv> => {
  const app = createHttpApp(tools);
  mountOperations(app, { ...tools, isQueueReachable: () => tools.queue.isReachable() });
  return app;
};

/** Puts every room together into one application. */
export const createApp = (tools: AppTools): Hono<HttpEnv> => {
  const app = createWorkerApp(tools);

  mountPlaceholders(app);
  mountPageStyle(app);
  mountSignIn(app, { ...tools, client: tools.signInClient });
  mountCodePage(app, tools);
  mountPictures(app, tools);
  mountMe(app, tools);
  mountPlatformEvents(app, tools);
  mountBilling(app, tools);
  const door = { ...tools, limitsOf: tools.plans.limitsOf };
  const { answerStrayCallback } = mountVerification(app, door);
  app.notFound(
    (context) => answerStrayCallback(context) ?? context.json({ error: 'Not found' }, 404),
  );
  const description = once(() =>
    openApiDocument(endpoints, {
      version: packageJson.version,
      baseUrl: tools.baseUrl,
      cryptoProvider: tools.billing.cryptoProvider,
    }),
  );
  const served = once(() => makeAsset('application/json', JSON.stringify(description())));
  app.get('/openapi.json', (context) => sendAsset(context, served()));
  mountReference(app, description, tools.plans.limitsOf);
  mountHandlers(app, tools);
  return app;
};

const mountBilling = (app: Hono<HttpEnv>, tools: AppTools): void => {
  const orders = createOrderDesk({ ...tools, canReturn: tools.pay.card !== undefined });
  mountCardWebhook(app, { ...tools, orders });
  mountCryptoWebhook(app, { ...tools, orders });
  mountPayPages(app);
};

const mountHandlers = (app: Hono<HttpEnv>, tools: AppTools): void => {
  const { db, log, clock, ring, queue, platform } = tools;
  const { limitsOf } = tools.plans;
  const { authenticate, forgetKey } = createAuthenticator(db, log);
  const picture = pictureFrom(tools.baseUrl);
  const providers = createPayProviders(tools);
  const glance = (owner: BotOwner, guildId: string) =>
    glanceAtGuild({ db, ring, platform }, owner, guildId);
  const handlers = {
    ...accountHandlers({ clock, picture, limitsOf }),
    ...botHandlers({ ring, picture, queue, checkToken: createTokenCheck(platform) }),
    ...serverHandlers({ picture, queue, glance, countOf: countServerContents }),
    ...memberHandlers(picture),
    ...backupHandlers({ queue, clock }),
    ...restoreHandlers({ queue, preview: createPreview(tools) }),
    ...pullHandlers({ queue }),
    ...firewallHandlers,
    ...whitelistHandlers,
    ...blacklistHandlers(markMembers),
    ...appealHandlers,
    ...analyticsHandlers({ clock, countTokens }),
    ...billingHandlers,
    ...payHandlers({ ...tools, limitsOf, providers }),
    ...marketplaceHandlers({ ...tools, limitsOf, picture, providers }),
    ...keyHandlers({ clock, forgetKey }),
    ...auditHandlers,
    ...accountDeletionHandlers({ queue, forgetKey }),
  };
  const turns = createAccountTurns(tools.patience);
  const ladder = { ...tools, limitsOf, holdAccount, findOwnedServer, turns };
  mountApi(app, byKey({ authenticate, limitsOf }), endpoints, handlers, ladder);
  const all = { ...endpoints, ...dashboardEndpoints };
  const personal = {
    ...sessionHandlers,
    ...secondFactorHandlers(tools),
    ...chainHandlers,
    ...appealFindHandlers,
    ...planHandlers(tools.plans),
    ...overviewHandlers(picture),
    ...guildHandlers(createGuildView({ db, ring, platform })),
    ...backupUsageHandlers,
    ...restoreFollowHandlers,
    ...ownListingHandlers({ picture }),
    ...ownOrderHandlers,
    ...standingHandlers,
  };
  mountApi(app, bySession(tools), all, { ...handlers, ...personal }, ladder);
};

/** What the rooms above `servers` keep for one. */
const countServerContents = async (db: Queryable, server: OwnedServer): Promise<ServerCounts> => ({
  ...(await countMembers(db, server)),
  firewallRules: await countRules(db, firewallRules, server),
  whitelistRules: await countRules(db, whitelistRules, server),
  backups: await countBackupsOfServer(db, server),
  pulls: await countPullsOfServer(db, server),
});
