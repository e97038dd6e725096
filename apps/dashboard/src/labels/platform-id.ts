/** The platform counts time from the start of 2015. */
const platformEpochMs = 1_420_070_400_000;

/** When an account of the platform was made, which its id tells; null for what is no such id. */
export const accountCreatedAt = (platformId: string): string | null => {
  if (!/^\d{15,20}$/.test(platformId)) return null;
  return new Date(Number(BigInt(platformId) >> 22n) + platformEpochMs).toISOString();
};
