import type { KeyScope } from '@holdfast/contract';

/** What a key can be tried with, whatever it may do. */
const places: [KeyScope, string][] = [
  ['account:read', '/account'],
  ['servers:read', '/servers'],
  ['bots:read', '/bots'],
  ['blacklist:read', '/blacklist'],
  ['audit:read', '/audit'],
  ['api-keys:read', '/keys'],
  ['billing:read', '/billing/ledger'],
  ['marketplace:read', '/marketplace/listings'],
];

/** A line for the shell that works with this key; one that can read nothing is told what it lacks. */
export const curlExample = (origin: string, key: string, scopes: readonly KeyScope[]): string => {
  const [, path] = places.find(([scope]) => scopes.includes(scope)) ?? ['*', '/account'];
  return `curl -H 'Authorization: Bearer ${key}' ${origin}/api/v1${path}`;
};
