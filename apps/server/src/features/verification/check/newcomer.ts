import { canonicalIp } from '@holdfast/contract';
import { keyedHash } from '../../../kernel/keyed-hash.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { isPrivate } from '../../../integrations/ip-data/is-private.ts';
import { accountHashKey } from '../../accounts/hash-key.ts';
import { householdOf } from '../household.ts';
import type { StoredPassage } from '../passages/queries.ts';
import type { Facts } from '../rules.ts';
import type { VerificationTools } from '../tools.ts';
import { isBlacklisted, isSecondAccount, type Marks } from '../traces/queries.ts';

/** What is known of a newcomer when it is decided whether they come in. */
export type Newcomer = { facts: Omit<Facts, 'guildIds'>; marks: Marks };

export const lookAtNewcomer = async (
  { db, ring, clock, ipData }: VerificationTools,
  passage: StoredPassage,
  { address, device }: { address: string; device: string | undefined },
): Promise<Newcomer> => {
  const { accountId, platformId } = passage;
  const marks = marksOf(await accountHashKey(db, ring, accountId), address, device);
  const facts = {
    platformId,
    address,
    look: ipData.look(address),
    fingerprint: marks.device,
    isBlacklisted: await isBlacklisted(db, { accountId, platformId }),
    isAlt: await isSecondAccount(db, { accountId, platformId }, marks),
    now: clock.now(),
  };
  return { facts, marks };
};

const deviceForm = /^[0-9a-f]{64}$/;

const marksOf = (key: Secret, address: string, device: string | undefined): Marks => {
  const household = householdOf(address);
  return {
    device:
      device !== undefined && deviceForm.test(device)
        ? keyedHash(key, 'fingerprint', device)
        : null,
    address:
      household !== undefined && isPublic(address) ? keyedHash(key, 'address', household) : null,
  };
};

/** A private address says nothing about who shares it: behind a proxy that is not known, everybody. */
const isPublic = (address: string): boolean => {
  const canonical = canonicalIp(address);
  return canonical !== undefined && !isPrivate(canonical);
};
