import { canonicalIp } from '@holdfast/contract';
import { isPrivate } from '../../../integrations/ip-data/ip-data.ts';
import { keyedHash } from '../../../kernel/hash.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { accountHashKey } from '../../accounts/hash-key/hash-key.ts';
import { isBlacklisted } from '../../blacklist/queries.ts';
import type { VerificationDependencies } from '../pages/page-context.ts';
import { type IdentityHashes, isSecondAccount } from '../queries/identity-hashes.ts';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import type { Facts } from '../rules.ts';

/** What is known about a newcomer when the checks run. */
export type Newcomer = { facts: Omit<Facts, 'guildIds'>; hashes: IdentityHashes };

export const readNewcomer = async (
  { db, ring, clock, ipData }: VerificationDependencies,
  { accountId, platformId }: PendingVerification,
  { address, device }: { address: string; device: string | undefined },
): Promise<Newcomer> => {
  const hashes = hashIdentity(await accountHashKey(db, ring, accountId), address, device);
  const facts = {
    platformId,
    address,
    ip: ipData.lookUp(address),
    fingerprint: hashes.device,
    isBlacklisted: await isBlacklisted(db, { accountId, platformId }),
    isAlt: await isSecondAccount(db, { accountId, platformId }, hashes),
    now: clock.now(),
  };
  return { facts, hashes };
};

const devicePattern = /^[0-9a-f]{64}$/;

const hashIdentity = (key: Secret, address: string, device: string | undefined): IdentityHashes => {
  const prefix = addressPrefixOf(address);
  return {
    device:
      device !== undefined && devicePattern.test(device)
        ? keyedHash(key, 'fingerprint', device)
        : null,
    address: prefix !== undefined && isPublic(address) ? keyedHash(key, 'address', prefix) : null,
  };
};

/**
 * The part of an address by which a person is recognized: an IPv6 connection has at least a /64, and
 * uses a new address of it every day. Undefined if it is not an address.
 */
export const addressPrefixOf = (address: string): string | undefined => {
  const canonical = canonicalIp(address);
  return canonical?.includes(':') && !canonical.includes('/')
    ? canonicalIp(`${canonical}/64`)
    : canonical;
};

/** Behind a proxy that is not configured, everyone shares one private address. */
const isPublic = (address: string): boolean => {
  const canonical = canonicalIp(address);
  return canonical !== undefined && !isPrivate(canonical);
};
