import { z } from 'zod';

/** Every scope of a key, by tier (spec part 5), in the specification's order. */
export const scopeTiers = {
  read: [
    'account:read',
    'ads:read',
    'alerts:read',
    'analytics:read',
    'api-keys:read',
    'audit:read',
    'backups:read',
    'billing:read',
    'blacklist:read',
    'bots:read',
    'platform:read',
    'domains:read',
    'firewall:read',
    'marketplace:read',
    'members:read',
    'panels:read',
    'referrals:read',
    'servers:read',
    'teams:read',
    'templates:read',
    'verify-page:read',
    'whitelist:read',
    'widget:read',
  ],
  write: [
    'account:link',
    'account:write',
    'ads:write',
    'alerts:write',
    'api-keys:write',
    'backups:write',
    'billing:write',
    'blacklist:write',
    'bots:write',
    'domains:write',
    'firewall:write',
    'marketplace:write',
    'members:mass-verify',
    'members:massdm',
    'members:write',
    'panels:write',
    'servers:write',
    'teams:write',
    'templates:write',
    'upload:write',
    'verify-page:write',
    'whitelist:write',
    'widget:write',
  ],
  destructive: [
    'account:delete',
    'backups:restore',
    'bots:delete',
    'marketplace:payout',
    'members:pull',
    'servers:delete',
    'templates:apply',
  ],
} as const;

/** Grants every scope, destructive ones included. */
export const wildcard = '*';

export const scopes = [...scopeTiers.read, ...scopeTiers.write, ...scopeTiers.destructive];

export type Scope = (typeof scopes)[number];
export type KeyScope = Scope | typeof wildcard;

export const keyScope = z
  .enum([...scopes, wildcard])
  .meta({ id: 'Scope', description: 'What a key may do; `*` grants every scope.' });

export const hasScope = (granted: readonly string[], required: KeyScope): boolean =>
  granted.includes(wildcard) || granted.includes(required);
