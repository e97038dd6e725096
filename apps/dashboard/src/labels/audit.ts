import type { ActorType, AuditAction } from '@holdfast/contract';
import { backupTitle } from './backups.ts';
import { formatTime } from './format.ts';
import { isRuleType, ruleLabel, ruleTypeLabels } from './rules.ts';

/** What was done. The compiler asks for a label of every action of the contract. */
export const actionLabels: Record<AuditAction, string> = {
  'account.delete': 'Deleted the account',
  'account.update': 'Changed the account',
  'alertSettings.update': 'Changed which alerts go where',
  'appeal.accept': 'Accepted an appeal',
  'appeal.reject': 'Rejected an appeal',
  'backup.complete': 'Completed a backup',
  'backup.create': 'Started a backup',
  'backup.delete': 'Deleted a backup',
  'backup.download': 'Downloaded a backup',
  'backup.redact': 'Removed erased people from a backup',
  'backup.expire': 'Deleted a backup that retention no longer keeps, or that was temporary',
  'backup.fail': 'Failed to make a backup',
  'billing.mail_skipped': 'Skipped a mail about a payment',
  'blacklist.create': 'Blacklisted somebody',
  'blacklist.delete': 'Removed somebody from the blacklist',
  'bot.connection_refused': 'Noticed that the platform refuses the connection of a bot',
  'bot.create': 'Added a bot',
  'bot.deactivate': 'Switched off a bot whose token was refused',
  'bot.delete': 'Deleted a bot',
  'bot.make_channel': 'Made a channel through a bot',
  'bot.make_role': 'Made a role through a bot',
  'bot.secret_refused': 'Noticed that the platform refuses the client secret of a bot',
  'bot.update': 'Changed a bot',
  'drill.create': 'Started a fire drill',
  'drill.end': 'Ended a fire drill',
  'firewallRule.create': 'Added a firewall rule',
  'firewallRule.delete': 'Deleted a firewall rule',
  'incident.contain': 'Contained an attack',
  'incident.dismiss': 'Dismissed an incident as honest',
  'incident.dismiss_later': 'Asked to dismiss an incident as honest',
  'incident.end': 'Ended an incident',
  'incident.end_review': 'Removed newcomers of a raid',
  'incident.open': 'Noticed an attack',
  'incident.repair': 'Started the repair after an incident',
  'incident.review': 'Decided about the newcomers of a raid',
  'incident.return_roles': 'Had roles given back that were taken in an incident',
  'incident.return_roles_later': 'Asked to give roles back that were taken in an incident',
  'incident.roles_returned': 'Gave roles back that were taken in an incident',
  'incident.take_back': 'Took back a decision about an incident',
  'invoice.await_payment': 'Noted that the payment of an invoice is on its way',
  'invoice.create': 'Created an invoice',
  'invoice.pay': 'Paid an invoice',
  'invoice.remove': 'Removed an unpaid invoice',
  'key.create': 'Created an API key',
  'key.revoke': 'Revoked an API key',
  'session.end': 'Ended a session',
  'session.end_all': 'Signed out everywhere',
  'deviceLogin.approve': 'Approved a program on another device',
  'deviceLogin.deny': 'Denied a program on another device',
  'backup.store_piece': 'Uploaded a part of a backup',
  'ledger.refund': 'Refunded a payment',
  'listing.create': 'Created a listing',
  'listing.update': 'Changed a listing',
  'massVerification.cancel': 'Cancelled a mass verification',
  'massVerification.create': 'Started a mass verification',
  'massVerification.end': 'Ended a mass verification',
  'member.deauthorize': 'Recorded that a member deauthorized the bot',
  'member.erase': 'Erased a member on their own request',
  'member.withdraw': 'Recorded that a member withdrew consent',
  'members.seed': 'Seeded members',
  'order.await_payment': 'Noted that the payment of an order is on its way',
  'order.cancel': 'Cancelled an order',
  'order.complete': 'Completed an order',
  'order.create': 'Placed an order',
  'order.credit': 'Credited a late payment',
  'order.decline': 'Declined an order',
  'order.deliver': 'Delivered an order',
  'order.dispute': 'Held the money of a disputed order',
  'order.dispute_lost': 'Lost a dispute about an order',
  'order.dispute_won': 'Won a dispute about an order',
  'order.expire': 'Expired an unpaid order',
  'order.fail': 'Failed to deliver an order',
  'order.late_payment': 'Received a payment too late',
  'order.pay': 'Paid an order',
  'order.refund': 'Refunded an order',
  'order.return_payment': 'Returned a late payment',
  'panel.create': 'Created a panel',
  'panel.delete': 'Deleted a panel',
  'panel.update': 'Changed a panel',
  'payout.create': 'Requested a payout',
  'payout.pay': 'Paid out',
  'plan.change': 'Changed the plan',
  'plan.set': 'Set the plan',
  'protection.update': 'Changed how a server is protected',
  'protection.weaken': 'Weakened the protection of a server',
  'protection.weaken_later': 'Asked for weaker protection of a server, which waits',
  'pull.cancel': 'Stopped bringing members back',
  'pull.create': 'Started bringing members back',
  'pull.end': 'Finished bringing members back',
  'pull.recall': 'Created an invite for members who could not be brought back',
  'pull.resume': 'Went on bringing members back',
  'pull.update': 'Changed how members are brought back',
  'restore.cancel': 'Cancelled a restore',
  'restore.create': 'Started a restore',
  'restore.end': 'Ended a restore',
  'restore.show_webhooks': 'Looked at the addresses of new webhooks',
  'server.confirm_role': 'Confirmed a verified role with dangerous permissions',
  'server.create': 'Added a server',
  'server.delete': 'Deleted a server',
  'server.update': 'Changed a server’s settings',
  'subscription.attach': 'Linked a subscription',
  'subscription.cancel': 'Ended a subscription',
  'subscription.cancel_at_end': 'Cancelled a subscription at the end of its period',
  'subscription.change': 'Chose another plan for a subscription',
  'subscription.dispute': 'Recorded a dispute about a subscription',
  'subscription.dispute_lost': 'Ended a subscription whose payment was charged back',
  'subscription.dispute_open': 'Held a subscription whose payment is disputed',
  'subscription.dispute_won': 'Won a dispute about a subscription',
  'subscription.lapse': 'Ended a subscription that was not paid',
  'subscription.payment_failed': 'Recorded that a payment for a subscription failed',
  'subscription.renew': 'Renewed a subscription',
  'subscription.resume': 'Resumed a cancelled subscription',
  'subscription.update': 'Changed a subscription',
  'upload.create': 'Uploaded a picture',
  'upload.expire': 'Deleted a picture that nothing used',
  'verifyPage.update': 'Changed a verify page',
  'whitelistRule.create': 'Added a whitelist rule',
  'whitelistRule.delete': 'Deleted a whitelist rule',
};

export const actorLabels: Record<ActorType, string> = {
  USER: 'You, here',
  KEY: 'An API key',
  SYSTEM: 'Holdfast',
  BILLING: 'The payment provider',
};

export const subjectLabels: Record<string, string> = {
  account: 'Account',
  alertSettings: 'Alert settings',
  appeal: 'Appeal',
  backup: 'Backup',
  blacklistEntry: 'Blacklist entry',
  bot: 'Bot',
  charge: 'Charge',
  drill: 'Fire drill',
  firewallRule: 'Firewall rule',
  incident: 'Incident',
  invoice: 'Invoice',
  key: 'API key',
  listing: 'Listing',
  massVerification: 'Mass verification',
  member: 'Member',
  order: 'Order',
  panel: 'Panel',
  payout: 'Payout',
  pull: 'Members brought back',
  restore: 'Restore',
  server: 'Server',
  subscription: 'Subscription',
  upload: 'Picture',
  user: 'Account',
  whitelistRule: 'Whitelist rule',
};

/** Older entries may have an action that is no longer recorded: they are shown by their own name. */
export const actionLabel = (action: string): string =>
  Object.entries(actionLabels).find(([name]) => name === action)?.[1] ?? spacedLabel(action);

export const subjectLabel = (type: string): string => subjectLabels[type] ?? spacedLabel(type);

type Audited = {
  action: string;
  subject: { type: string; id: string | null };
  changes: Record<string, unknown>;
};

/** The server that an entry is about. */
export const serverOfEntry = ({ subject, changes }: Audited): unknown =>
  subject.type === 'server' ? subject.id : changes.serverId;

/** What an entry is about, as its own page calls it; undefined where the entry has no name of it. */
export const nameOfSubject = ({
  subject,
  changes,
}: Omit<Audited, 'action'>): string | undefined => {
  const { name, title, value, platformId, type } = changes;
  if (subject.type === 'backup' && typeof name === 'string') return nameOfBackup(subject.id, name);
  if (isRuleType(type) && typeof value === 'string') {
    return ruleLabel({ type, value });
  }
  return [name, title, value, platformId].find((text) => typeof text === 'string');
};

/**
 * "Backup"; of a rule also what it is about: "Firewall rule, country:". Undefined where the name says it
 * already, as "Scheduled backup of …" does.
 */
export const kindOfSubject = (entry: Omit<Audited, 'action'>): string | undefined => {
  const { subject, changes } = entry;
  const label = subjectLabel(subject.type);
  const { name, type } = changes;
  if (subject.type === 'backup' && nameOfSubject(entry) !== name) return undefined;
  return isRuleType(type) ? `${label}, ${ruleTypeLabels[type].label.toLowerCase()}:` : label;
};

const nameOfBackup = (id: string | null, name: string): string => {
  const isOfRestore = /^Before restore [\da-f-]{36}$/.test(name);
  const createdAt = id === null ? undefined : timeOfId(id);
  if (!isOfRestore) return backupTitle({ kind: 'MANUAL', name, createdAt: '' });
  if (createdAt === undefined) return 'Before a restore';
  return backupTitle({ kind: 'PRE_RESTORE', name, createdAt });
};

/** When something was made: ids of the service begin with that time (UUID version 7). */
const timeOfId = (id: string): string | undefined => {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(id) ?? [];
  return high && low ? new Date(Number.parseInt(high + low, 16)).toISOString() : undefined;
};

/** Pages below that of a server, by the subjects that have one. */
const pagesOfServer: Record<string, string> = {
  backup: 'backups',
  incident: 'incidents',
  panel: 'panels',
  pull: 'pulls',
  restore: 'restores',
};

const ownPages: Record<string, string> = {
  listing: '/marketplace/listings/',
  order: '/marketplace/orders/',
};

/** Where the subject of an entry is shown, where it has a page and still exists. */
export const pathOfEntry = (entry: Audited): string | undefined => {
  const { type, id } = entry.subject;
  if (id === null || /\.(delete|expire)$/.test(entry.action)) return undefined;
  const serverId = serverOfEntry(entry);
  if (type === 'server') return `/servers/${id}`;
  if (ownPages[type]) return `${ownPages[type]}${id}`;
  const page = pagesOfServer[type];
  return page && typeof serverId === 'string' ? `/servers/${serverId}/${page}/${id}` : undefined;
};

/** `minAccountAgeDays` as "Min account age days". */
export const spacedLabel = (name: string): string => {
  const spaced = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[._]/g, ' ')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

/** A value that was set; `before` where the log kept what it replaced. */
type Change = { field: string; before?: string; value: string };

/** What an entry changed, field by field. */
export const describeChanges = (changes: Record<string, unknown>): Change[] =>
  Object.entries(changes).map(([field, value]) =>
    isPair(value)
      ? { field, before: valueText(value.from), value: valueText(value.to) }
      : { field, value: valueText(value) },
  );

const isPair = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === 2 &&
  'from' in value &&
  'to' in value;

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);

const valueText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(valueText).join(', ') || 'nothing';
  if (typeof value === 'string' && isMoment(value)) return formatTime(value);
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${valueText(part)}`)
    .join(', ');
};
