import { canonicalIp } from '@holdfast/contract';

/**
 * The part of an address that stays: an IPv6 connection owns at least a /64 and takes a new address
 * out of it every day, so whoever is to be known again by their address is known by that block.
 * Undefined when it is no address.
 */
export const householdOf = (address: string): string | undefined => {
  const canonical = canonicalIp(address);
  return canonical?.includes(':') && !canonical.includes('/')
    ? canonicalIp(`${canonical}/64`)
    : canonical;
};
