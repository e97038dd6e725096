import type { KeyScope, Scope } from '@holdfast/contract';
import { gravestScopes } from '@holdfast/contract/checks';
import type { ApiKey } from '../queries/records.ts';
import { keysOf } from './format.ts';

/** What each scope lets a key do. A scope that opens nothing to a key has no label and is not offered. */
const read = {
  'account:read': 'See the account, its plan and limits',
  'alerts:read': 'See alerts and where they are sent',
  'analytics:read': 'See the analytics of verification',
  'api-keys:read': 'List keys, never the keys themselves',
  'audit:read': 'Read the audit log',
  'backups:read': 'See backups and restores, preview a restore',
  'billing:read': 'See the ledger and payment events',
  'blacklist:read': 'See who is blacklisted',
  'bots:read': 'See the bots, never their tokens',
  'firewall:read': 'See firewall rules',
  'marketplace:read': 'See listings and orders',
  'members:read': 'See members, pulls and appeals',
  'servers:read': 'See the servers and their settings',
  'verify-page:read': 'See how verify pages look',
  'whitelist:read': 'See whitelist rules',
  'panels:read': 'Panels with the verify button',
} satisfies Partial<Record<Scope, string>>;

const write = {
  'alerts:write': 'Mark alerts as read, choose where they are sent',
  'api-keys:write': 'Create keys with no more than its own scopes, revoke keys',
  'backups:write': 'Make and delete backups',
  'billing:write': 'Order a plan',
  'blacklist:write': 'Blacklist people, remove them',
  'bots:write': 'Add and change bots',
  'firewall:write': 'Add and delete firewall rules',
  'marketplace:write': 'Sell, buy and deliver',
  'members:write': 'Decide appeals',
  'servers:write': 'Add servers, change their settings',
  'upload:write': 'Upload pictures',
  'verify-page:write': 'Change how verify pages look',
  'whitelist:write': 'Add and delete whitelist rules',
  'members:mass-verify': 'Give the verified role to members who are there',
  'panels:write': 'Post, change and delete panels',
} satisfies Partial<Record<Scope, string>>;

const destructive = {
  'account:delete': 'Delete the account with everything in it',
  'backups:restore': 'Rebuild a server from a backup, which changes and deletes what is there',
  'bots:delete': 'Delete bots',
  'marketplace:payout': 'Pay the balance out',
  'members:pull': 'Bring members back to a server',
  'servers:delete': 'Delete servers with everything in them',
} satisfies Partial<Record<Scope, string>>;

export const scopeLabels: Partial<Record<Scope, string>> = { ...read, ...write, ...destructive };

export type Tier = 'read' | 'write' | 'destructive';

export const scopesByTier: Record<Tier, Scope[]> = {
  read: keysOf(read),
  write: keysOf(write),
  destructive: keysOf(destructive),
};

/** Of what a program asks for, the gravest stand apart; and it can ask for what opens nothing. */
export type AnyTier = Tier | 'gravest' | 'other';

const tiersByDanger: Tier[] = ['destructive', 'write', 'read'];

/** The scopes that a program asks for, the most dangerous first; all scopes where it asks for everything. */
export const scopeTiersOf = (asked: readonly KeyScope[]): { tier: AnyTier; scopes: Scope[] }[] => {
  const isAsked = (scope: Scope) => asked.includes('*') || asked.includes(scope);
  const tiers = tiersByDanger.map((tier) => ({
    ...{ tier, scopes: scopesByTier[tier].filter((scope) => isAsked(scope) && !isGravest(scope)) },
  }));
  const named = asked.filter((scope) => scope !== '*');
  return [
    { tier: 'gravest' as const, scopes: gravestScopes.filter(isAsked) },
    ...tiers,
    { tier: 'other' as const, scopes: named.filter((scope) => scopeLabels[scope] === undefined) },
  ].filter(({ scopes }) => scopes.length > 0);
};

const isGravest = (scope: Scope): boolean => gravestScopes.some((gravest) => gravest === scope);

/** How long a key is valid, as a choice. */
export const daysLabel = (days: number): string => (days === 365 ? '1 year' : `${days} days`);

/** Whether the scope or its label contains the text. */
export const matchesScope = (scope: Scope, search: string): boolean =>
  `${scope} ${scopeLabels[scope]}`.toLowerCase().includes(search.trim().toLowerCase());

/** A day as the value of a date field, in the reader's own time zone. */
export const dayText = (date: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

/** The last second of that day in the reader's own time zone; null if none is chosen. */
export const endOfDay = (day: string): string | null => {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return null;
  return new Date(year, month - 1, date, 23, 59, 59).toISOString();
};

/** A read endpoint for each scope that has one without parameters. */
const readPaths: [KeyScope, string][] = [
  ['account:read', '/account'],
  ['servers:read', '/servers'],
  ['bots:read', '/bots'],
  ['blacklist:read', '/blacklist'],
  ['audit:read', '/audit'],
  ['alerts:read', '/alerts'],
  ['api-keys:read', '/keys'],
  ['billing:read', '/billing/ledger'],
  ['marketplace:read', '/marketplace/listings'],
];

/** A shell command that works with this key; a key that can read nothing is told which scope it lacks. */
export const curlExample = (origin: string, key: string, scopes: readonly KeyScope[]): string => {
  const [, path] = readPaths.find(([scope]) => scopes.includes(scope)) ?? ['*', '/account'];
  return `curl -H 'Authorization: Bearer ${key}' ${origin}/api/v1${path}`;
};

export const keyStatus = (
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now = Date.now(),
): 'revoked' | 'expired' | 'active' => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
};
