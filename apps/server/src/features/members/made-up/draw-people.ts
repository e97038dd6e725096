export type MadeUpPerson = { i: number; platformId: string; bornAt: Date; agrees: boolean };

/** People `first` to `last` of `count`, of whom `pullable` agree to be brought back. */
export type Crowd = { first: number; last: number; count: number; pullable: number };

const dayMs = 86_400_000;
const platformEpochMs = 1_420_070_400_000;
const idsPerMs = 2 ** 22;

/** Members are made up as verified within the past year, by accounts at least a month old then. */
export const oldestVerificationDays = 365;
const youngestDays = oldestVerificationDays + 30;
const agesSpreadDays = 2000;

/** Those who agree are spread evenly. Each has an id of their own, of the time they joined the platform. */
export const drawPeople = (
  { first, last, count, pullable }: Crowd,
  now: Date,
  random: () => number,
): MadeUpPerson[] =>
  Array.from({ length: last - first + 1 }, (_, place) => {
    const i = first + place;
    const ageMs = Math.floor((youngestDays + random() * agesSpreadDays) * dayMs);
    const bornAt = new Date(now.getTime() - ageMs);
    const agreeingBefore = Math.floor((i * pullable) / count);
    const agrees = Math.floor(((i + 1) * pullable) / count) > agreeingBefore;
    return { i, platformId: platformIdOf(bornAt, i), bornAt, agrees };
  });

/** The platform's ids are made of time: milliseconds since 2015, then 22 bits. */
const platformIdOf = (bornAt: Date, i: number): string => {
  const bornMs = BigInt(bornAt.getTime() - platformEpochMs);
  return String(bornMs * BigInt(idsPerMs) + BigInt(i % idsPerMs));
};
