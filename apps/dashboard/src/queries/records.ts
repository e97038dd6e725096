import type { Entry, Input, Output } from '@holdfast/sdk/dashboard';

/** What the API answers, by the names that the dashboard uses. */

export type Account = Output<'getAccount'>;
export type Limits = Account['limits'];
export type Subscription = Account['subscription'];
export type Session = Output<'listSessions'>[number];
export type ApiKey = Entry<'listKeys'>;
export type CreatedKey = Output<'createKey'>;
export type DeviceAuthorization = Output<'findDeviceAuthorization'>;
export type AuditRecord = Entry<'listAudit'>;
export type Alert = Entry<'listAlerts'>;
export type AlertSettings = Output<'getAlertSettings'>;

export type Server = Output<'getServer'>;
export type ListedServer = Entry<'listServers'>;
export type OverviewServer = Output<'getOverview'>['servers'][number];
export type Bot = Output<'listBots'>[number];
export type LookedUpBot = Output<'lookUpBot'>;
export type BotSetup = Output<'getBotSetup'>;
export type Invite = BotSetup['invites'][number];
export type BotGuild = Output<'listBotGuilds'>['guilds'][number];
export type Drill = Output<'listDrills'>['drills'][number];
export type Member = Entry<'findMembers'>;
export type MemberHistory = Output<'getMemberHistory'>;
export type MemberSort = NonNullable<NonNullable<Input<'findMembers'>['query']>['sort']>;
export type MassVerification = Entry<'listMassVerifications'>;
export type MassVerificationRequest = NonNullable<Input<'createMassVerification'>['body']>;
export type MassVerificationPreview = Output<'previewMassVerification'>;
export type Analytics = Output<'getAnalytics'>;

export type Protection = Output<'getProtection'>;
export type ProtectionChanges = NonNullable<Input<'updateProtection'>['body']>;
export type Incident = Output<'getIncident'>;
export type IncidentCourse = Output<'getIncidentCourse'>;
export type Wave = Output<'getWave'>;
export type Newcomer = Entry<'listNewcomers'>;
export type IncidentAct = Entry<'listIncidentActs'>;

export type Rule = Output<'listFirewallRules'>[number];
export type BlacklistEntry = Entry<'listBlacklist'>;
export type Appeal = Entry<'listAppeals'>;
export type AppealDecision = Input<'decideAppeal'>['body']['decision'];
/** A decision that the owner has chosen but not confirmed yet. */
export type PendingDecision = { appeal: Appeal; decision: AppealDecision };

export type BackupUsage = Output<'getBackupUsage'>;
export type BackupRecord = Entry<'listBackups'>;
export type BackupContents = Output<'getBackupContents'>;
export type RestorePlan = Output<'planRestore'>;
export type RestoreRequest = Required<NonNullable<Input<'planRestore'>['body']>>;
export type NewGuild = Output<'listNewGuilds'>['guilds'][number];
export type LostMembers = Output<'countLostMembers'>;
export type RestoreRecord = Output<'getRestore'>;
export type RestoreDetails = Output<'getRestoreCourse'>;
export type PullRecord = Entry<'listPulls'>;
export type PullPreview = Output<'previewPull'>;
export type Recall = Output<'recallPull'>;
export type PullRequest = NonNullable<Input<'createPull'>['body']>;

export type BillingStatus = Output<'getBillingStanding'>;
export type CardSubscription = NonNullable<BillingStatus['card']>;
export type Receipt = Output<'listReceipts'>[number];
export type PlanOffer = Output<'listPlans'>[number];
export type LedgerEntry = Entry<'listLedger'>;
export type BillingEvent = Entry<'listBillingEvents'>;
export type Listing = Entry<'listListings'>;
export type ShownListing = Output<'getListing'>;
export type TemplateContents = Output<'getTemplateContents'>;
export type Seller = Output<'getSeller'>;
export type OwnListing = Entry<'listOwnListings'>;
export type OwnOrder = Output<'getOwnOrder'>;
