import type { Scope } from '@holdfast/contract';

/** What each scope lets a key do, in a few words. Some stand for what is not built yet. */
const unused = 'Nothing asks for it yet';
const dashboardOnly = 'Used by this dashboard alone';

const read = {
  'account:read': 'See the account, its plan and limits',
  'analytics:read': 'See how verification goes',
  'api-keys:read': 'See which keys there are, never the keys',
  'audit:read': 'Read the audit log',
  'backups:read': 'See backups and restores, preview a restore',
  'billing:read': 'See the ledger and payment events',
  'blacklist:read': 'See who is blacklisted',
  'bots:read': 'See the bots, never their tokens',
  'firewall:read': 'See firewall rules',
  'marketplace:read': 'See listings and orders',
  'members:read': 'See members, pulls and appeals',
  'servers:read': 'See the servers and their settings',
  'whitelist:read': 'See whitelist rules',
  'platform:read': dashboardOnly,
  'ads:read': unused,
  'alerts:read': unused,
  'domains:read': unused,
  'panels:read': unused,
  'referrals:read': unused,
  'teams:read': unused,
  'templates:read': unused,
  'verify-page:read': unused,
  'widget:read': unused,
} satisfies Partial<Record<Scope, string>>;

const write = {
  'account:write': dashboardOnly,
  'api-keys:write': 'Mint keys of no more than its own scopes, revoke keys',
  'backups:write': 'Take and delete backups',
  'billing:write': 'Order a plan',
  'blacklist:write': 'Blacklist people, take them off',
  'bots:write': 'Add and change bots',
  'firewall:write': 'Add and delete firewall rules',
  'marketplace:write': 'Sell, buy and deliver',
  'members:write': 'Decide appeals',
  'servers:write': 'Add servers, change their settings',
  'whitelist:write': 'Add and delete whitelist rules',
  'account:link': unused,
  'ads:write': unused,
  'alerts:write': unused,
  'domains:write': unused,
  'members:mass-verify': unused,
  'members:massdm': unused,
  'panels:write': unused,
  'teams:write': unused,
  'templates:write': unused,
  'upload:write': unused,
  'verify-page:write': unused,
  'widget:write': unused,
} satisfies Partial<Record<Scope, string>>;

const destructive = {
  'account:delete': 'Delete the account with all that is kept for it',
  'backups:restore': 'Rebuild a server from a backup, which changes and deletes what is there',
  'bots:delete': 'Delete bots',
  'marketplace:payout': 'Pay the balance out',
  'members:pull': 'Add members to a server',
  'servers:delete': 'Delete servers with all that is kept for them',
  'templates:apply': unused,
} satisfies Partial<Record<Scope, string>>;

/** The compiler asks for each of the contract's scopes. */
export const scopeWords: Record<Scope, string> = { ...read, ...write, ...destructive };

export type Tier = 'read' | 'write' | 'destructive';

// `Object.keys` forgets what the names are; they stand right above.
const namesOf = (words: Partial<Record<Scope, string>>) => Object.keys(words) as Scope[];

export const scopesByTier: Record<Tier, Scope[]> = {
  read: namesOf(read),
  write: namesOf(write),
  destructive: namesOf(destructive),
};

export const isUnused = (scope: Scope): boolean => scopeWords[scope] === unused;

/** Whether it is of any use to a key. */
export const isUseful = (scope: Scope): boolean =>
  ![unused, dashboardOnly].includes(scopeWords[scope]);

/** Whether the scope, or what it is for, has the text in it. */
export const isScopeFound = (scope: Scope, search: string): boolean =>
  `${scope} ${scopeWords[scope]}`.toLowerCase().includes(search.trim().toLowerCase());
