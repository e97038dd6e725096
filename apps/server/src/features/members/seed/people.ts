export type SeedPerson = { i: number; platformId: string; createdAt: Date; consents: boolean };

/** People `first` to `last` of `count`, of whom `pullable` consent to recovery. */
export type SeedRange = { first: number; last: number; count: number; pullable: number };

const dayMs = 86_400_000;
const platformEpochMs = 1_420_070_400_000;
const idsPerMs = 2 ** 22;

/** Members are verified within the past year, by accounts that were at least a month old then. */
export const oldestVerificationDays = 365;
const youngestDays = oldestVerificationDays + 30;
const agesSpreadDays = 2000;

/** Those who consent are spread evenly. Every id is unique, and of the time the account was created. */
export const generatePeople = (
  { first, last, count, pullable }: SeedRange,
  now: Date,
  random: () => number,
): SeedPerson[] =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    const i = first + index;
    const ageMs = Math.floor((youngestDays + random() * agesSpreadDays) * dayMs);
    const createdAt = new Date(now.getTime() - ageMs);
    const consentingBefore = Math.floor((i * pullable) / count);
    const consents = Math.floor(((i + 1) * pullable) / count) > consentingBefore;
    return { i, platformId: platformIdOf(createdAt, i), createdAt, consents };
  });

/** The platform's ids are milliseconds since 2015, then 22 bits. */
const platformIdOf = (createdAt: Date, i: number): string => {
  const sinceEpochMs = BigInt(createdAt.getTime() - platformEpochMs);
  return String(sinceEpochMs * BigInt(idsPerMs) + BigInt(i % idsPerMs));
};
