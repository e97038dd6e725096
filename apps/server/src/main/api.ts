import { dashboardEndpoints, endpoints, openApiDocument } from '@holdfast/contract';
import type { Hono } from 'hono';
import packageJson from '../../package.json';
import type { Database, Queryable } from '../db/connect.ts';
import type { Replica } from '../db/replica/replica.ts';
import { accountDeletion } from '../features/account-deletion/feature.ts';
import { holdAccount } from '../features/accounts/queries.ts';
import { alerts } from '../features/alerts/feature.ts';
import { analytics } from '../features/analytics/feature.ts';
import { audit } from '../features/audit/feature.ts';
import { backups } from '../features/backups/feature.ts';
import { countBackupsOfServer } from '../features/backups/queries.ts';
import { createCardCustomers } from '../features/billing/card/customer-client.ts';
import { createCardSubscriptions } from '../features/billing/card/subscription-client.ts';
import type { BillingSettings } from '../features/billing/events/process-event.ts';
import { billing } from '../features/billing/feature.ts';
import { blacklist } from '../features/blacklist/feature.ts';
import { bots } from '../features/bots/feature.ts';
import type { BotOwner } from '../features/bots/use/use-bot.ts';
import { deviceLogin } from '../features/device-login/feature.ts';
import { drills } from '../features/drills/feature.ts';
import { firewall } from '../features/firewall/feature.ts';
import { health } from '../features/health/feature.ts';
import { keys } from '../features/keys/feature.ts';
import { findKeyName } from '../features/keys/queries.ts';
import { marketplace } from '../features/marketplace/feature.ts';
import { massVerifications } from '../features/mass-verifications/feature.ts';
import { me } from '../features/me/feature.ts';
import { members } from '../features/members/feature.ts';
import { countMembers, countTokens } from '../features/members/queries/list.ts';
import { setBlacklisted } from '../features/members/queries/verified.ts';
import { overview } from '../features/overview/feature.ts';
import { panels } from '../features/panels/feature.ts';
import { people } from '../features/people/feature.ts';
import { plans } from '../features/plans/feature.ts';
import type { PlanTable } from '../features/plans/rules.ts';
import { protection } from '../features/protection/feature.ts';
import { findExecutorNames } from '../features/protection/queries/executors.ts';
import { pulls } from '../features/pulls/feature.ts';
import { countPullsOfServer } from '../features/pulls/queries/pulls.ts';
import { restores } from '../features/restores/feature.ts';
import { servers } from '../features/servers/feature.ts';
import { findOwnedServer, findServerNames } from '../features/servers/queries.ts';
import { sessions } from '../features/sessions/feature.ts';
import { uploads } from '../features/uploads/feature.ts';
import type { CaptchaSettings } from '../features/verification/captcha/provider.ts';
import { verification } from '../features/verification/feature.ts';
import { whitelist } from '../features/whitelist/feature.ts';
import { answerNotFound, createHttpApp } from '../http/app.ts';
import { makeAsset, sendAsset } from '../http/assets.ts';
import { apiKeyAuth } from '../http/auth/api-key.ts';
import type { HttpEnv } from '../http/context.ts';
import { mountEvents, type OpenEvents } from '../http/events/mount-events.ts';
import { mountGuides } from '../http/guides/mount-guides.ts';
import type { OwnedServer } from '../http/handler.ts';
import { mountLanding } from '../http/landing/mount-landing.ts';
import { createAccountConcurrency } from '../http/limits/account-concurrency.ts';
import type { AddressCounts } from '../http/limits/address-limit.ts';
import type { ClientAddress } from '../http/limits/client-address.ts';
import type { RateLimit } from '../http/limits/rate-limit.ts';
import { mountMcp } from '../http/mcp/mount-mcp.ts';
import { mountOperations, type Siblings } from '../http/operations.ts';
import { mountPlaceholders, pictureFrom } from '../http/pages/placeholders.ts';
import { mountEndpoints } from '../http/pipeline.ts';
import { mountReference } from '../http/reference/mount-reference.tsx';
import type { SealedBlobs } from '../integrations/blobs/sealed-blobs.ts';
import type { IpData } from '../integrations/ip-data/ip-data.ts';
import type { Aside } from '../kernel/aside.ts';
import type { Clock } from '../kernel/clock.ts';
import { once } from '../kernel/concurrency.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { KeyRing } from '../kernel/seal.ts';
import type { Secret } from '../kernel/secret.ts';
import type { OAuthClient, PlatformOAuth } from '../platform/oauth/port.ts';
import type { Platform } from '../platform/port.ts';
import type { Queue } from '../queue/queue.ts';
import { createPayProviders, type PayAccess } from './payments.ts';

export type ApiDependencies = {
  db: Database;
  replica?: Replica | undefined;
  isDatabaseReachable(): boolean;
  awaitDatabase?(): Promise<void> | undefined;
  patience?: number;
  queue: Queue;
  ring: KeyRing;
  platform: Platform;
  oauth: PlatformOAuth;
  /** The application through which people sign in. */
  signInClient: OAuthClient;
  ipData: Pick<IpData, 'lookUp'>;
  captcha: CaptchaSettings;
  billing: BillingSettings;
  pay: PayAccess;
  blobs: SealedBlobs;
  aside: Aside;
  events: OpenEvents;
  plans: PlanTable;
  rateLimit: RateLimit;
  clientAddress: ClientAddress;
  addressCounts?: AddressCounts['addressCounts'];
  clock: Clock;
  log: Log;
  metrics: Metrics;
  metricsToken: Secret | undefined;
  siblings?: Siblings | undefined;
  baseUrl: string;
  runsDrills: boolean;
};

type WorkerDependencies = Pick<
  ApiDependencies,
  | 'isDatabaseReachable'
  | 'awaitDatabase'
  | 'queue'
  | 'log'
  | 'metrics'
  | 'metricsToken'
  | 'siblings'
  | 'baseUrl'
>;

/** What every process serves, a worker too: health and metrics. */
export const createWorkerApp = (dependencies: WorkerDependencies): Hono<HttpEnv> => {
  const app = createHttpApp(dependencies);
  const isQueueReachable = () => dependencies.queue.isReachable();
  mountOperations(app, { ...dependencies, isQueueReachable });
  return app;
};

/** Composes the features into one application. */
export const createApi = (given: ApiDependencies): Hono<HttpEnv> => {
  const app = createWorkerApp(given);
  const dependencies = compose(given);
  mountPlaceholders(app);
  sessions.mount(app, {
    ...dependencies,
    client: given.signInClient,
    managedGuildsPage: servers.createManagedGuildsPage(dependencies),
  });
  deviceLogin.mount(app, dependencies);
  uploads.mount(app, dependencies);
  me.mount(app, dependencies);
  billing.mount(app, dependencies);
  const { answerStrayCallback } = verification.mount(app, {
    ...dependencies,
    isHeld: protection.isHeld,
  });
  app.notFound((context) => answerStrayCallback(context) ?? answerNotFound(context));
  mountLanding(app, {
    baseUrl: given.baseUrl,
    answerStrayCallback,
    isSignedInOwner: (context) => sessions.isSignedInOwner(context, given.db),
  });
  mountDescription(app, given);
  mountHandlers(app, dependencies);
  return app;
};

type Composed = ReturnType<typeof compose>;

/** Adds what a feature needs from the features above it. */
const compose = (dependencies: ApiDependencies) => {
  const { db, log, platform, plans: planTable, pay } = dependencies;
  const refusals = bots.createRefusalLimit();
  const checkSecret = bots.createSecretCheck({ ...dependencies, refusals });
  const followProtected = protection.followMove(dependencies);
  return {
    ...dependencies,
    ...keys.createAuthenticator(db, log),
    billingMetrics: billing.createMetrics(dependencies.metrics.registry),
    limitsOf: planTable.limitsOf,
    picture: pictureFrom(dependencies.baseUrl),
    providers: createPayProviders(dependencies),
    cardCustomers: pay.card && createCardCustomers({ ...dependencies, access: pay.card }),
    cardSubscriptions: pay.card && createCardSubscriptions({ ...dependencies, access: pay.card }),
    orders: marketplace.orderPayments({ ...dependencies, canReturn: pay.card !== undefined }),
    checkToken: bots.createTokenChecker(platform, refusals),
    checkSecret,
    lookUp: bots.createLookUp({ ...dependencies, refusals, checkSecret }),
    readSummary: (owner: BotOwner, guildId: string) =>
      servers.readGuildSummary(dependencies, owner, guildId),
    readGuildView: servers.createGuildViewReader(dependencies),
    countContents: countServerContents,
    readLimits: protection.createLimitReader(dependencies),
    changeSwitches: protection.changeSwitches(dependencies),
    async followMove(...move: Parameters<typeof followProtected>) {
      const [tx, before, { after }] = move;
      await panels.followMove(tx, dependencies, { before, after });
      await followProtected(...move);
    },
    leaveGuild: panels.leaveGuild(dependencies),
    followDeletion: protection.followDeletion(dependencies),
    followBot: protection.followBot(dependencies),
    findKeyName,
    findHeldBack: protection.findHeldBack,
    delayDecision: protection.delayDecision(dependencies),
    assessHealth: health.create(dependencies).assessHealth,
    preview: restores.createPreview(dependencies),
    compare: restores.createComparison(dependencies),
    readWebhookAddresses: restores.createWebhookAddressReader(dependencies),
    countTokens,
    findServerNames,
    findExecutorNames,
  };
};

/** What the features above `servers` store for a server. */
const countServerContents = async (db: Queryable, server: OwnedServer) => ({
  ...(await countMembers(db, server)),
  firewallRules: await firewall.countRules(db, server),
  whitelistRules: await whitelist.countRules(db, server),
  backups: await countBackupsOfServer(db, server),
  pulls: await countPullsOfServer(db, server),
});

const mountDescription = (app: Hono<HttpEnv>, dependencies: ApiDependencies): void => {
  const { baseUrl, billing: settings, plans: planTable } = dependencies;
  const description = once(() =>
    openApiDocument(endpoints, {
      version: packageJson.version,
      baseUrl,
      cryptoProvider: settings.cryptoProvider,
    }),
  );
  const asset = once(() => makeAsset('application/json', JSON.stringify(description())));
  app.get('/openapi.json', (context) => sendAsset(context, asset()));
  mountReference(app, description, planTable.limitsOf);
  mountGuides(app, baseUrl);
};

const mountHandlers = (app: Hono<HttpEnv>, dependencies: Composed): void => {
  const { picture } = dependencies;
  const handlers = {
    ...overview.handlers(dependencies),
    ...bots.handlers(dependencies),
    ...servers.handlers(dependencies),
    ...panels.handlers(dependencies),
    ...members.handlers(picture),
    ...backups.handlers(dependencies),
    ...health.handlers(dependencies),
    ...restores.handlers(dependencies),
    ...pulls.handlers(dependencies),
    ...massVerifications.handlers(dependencies),
    ...protection.handlers(dependencies),
    ...firewall.handlers,
    ...whitelist.handlers,
    ...blacklist.handlers(setBlacklisted),
    ...verification.handlers(dependencies.baseUrl),
    ...analytics.handlers(dependencies),
    ...alerts.handlers(dependencies),
    ...billing.handlers(dependencies),
    ...marketplace.handlers(dependencies),
    ...keys.handlers(dependencies),
    ...audit.handlers,
    ...uploads.handlers(dependencies),
    ...accountDeletion.handlers(dependencies),
  };
  const dashboardHandlers = {
    ...handlers,
    ...sessions.dashboardHandlers(dependencies),
    ...deviceLogin.dashboardHandlers(),
    ...audit.dashboardHandlers,
    ...alerts.dashboardHandlers,
    ...verification.dashboardHandlers,
    ...plans.dashboardHandlers(dependencies.plans),
    ...overview.dashboardHandlers(picture),
    ...bots.setupHandlers(dependencies),
    ...servers.setupHandlers(dependencies),
    ...servers.dashboardHandlers(
      dependencies.readGuildView,
      servers.createNewGuildFinder(dependencies),
    ),
    ...members.dashboardHandlers(picture),
    ...people.dashboardHandlers(dependencies),
    ...backups.dashboardHandlers(dependencies),
    ...restores.dashboardHandlers(dependencies),
    ...pulls.dashboardHandlers(dependencies),
    ...massVerifications.dashboardHandlers(dependencies),
    ...marketplace.dashboardHandlers(dependencies),
    ...billing.dashboardHandlers(dependencies),
    ...drills.dashboardHandlers(dependencies),
    ...protection.dashboardHandlers(dependencies),
  };
  const concurrency = createAccountConcurrency(dependencies.patience);
  const pipeline = { ...dependencies, holdAccount, findOwnedServer, concurrency };
  const byKey = apiKeyAuth(dependencies);
  mountEndpoints(app, byKey, endpoints, handlers, pipeline);
  mountMcp(app, byKey, dependencies);
  const all = { ...endpoints, ...dashboardEndpoints };
  const bySession = sessions.auth(dependencies);
  // Before the rest of its prefix, which answers with 404 whatever the contract does not name.
  mountEvents(app, bySession, dependencies);
  mountEndpoints(app, bySession, all, dashboardHandlers, pipeline);
};
