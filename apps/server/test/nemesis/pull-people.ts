import type { PullResult } from '@holdfast/contract';
import { addCrowd, type CrowdMember } from '../crowd.ts';
import type { PullPlace } from './pull-place.ts';
import { expireTokens, forgetMembers } from './queries.ts';

/** Sixty people: how many there are of each kind, and how it ends for them. */
const kinds = {
  valid: [30, 'joined'],
  /** As we know. */
  expired: [6, 'joined'],
  /** As only the platform knows. */
  unawares: [3, 'joined'],
  revoked: [5, 'tokenInvalid'],
  banned: [5, 'banned'],
  capped: [5, 'guildLimit'],
  there: [6, 'alreadyMember'],
} as const satisfies Record<string, [number, PullResult]>;

type Kind = keyof typeof kinds;

export type Person = CrowdMember & { kind: Kind; result: PullResult };

const longAgo = '2020-01-01T00:00:00.000Z';

/** All kinds mixed, each spread evenly over the whole. */
const kindOfEach = (): Kind[] => {
  // Their names are the keys.
  const all = (Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][]).flatMap(([kind, [count]]) =>
    Array.from({ length: count }, (_, index) => ({ kind, at: (index + 0.5) / count })),
  );
  return all.toSorted((one, other) => one.at - other.at).map(({ kind }) => kind);
};

/** Nobody of an earlier run is left, and the guild is as if nobody had ever been called. */
export const gatherPeople = async (place: PullPlace): Promise<Person[]> => {
  const { lane, crowd, ring } = place;
  const { db, simulator } = lane;
  await forgetMembers(db, crowd);
  const each = kindOfEach();
  const members = await addCrowd({ db, ring, simulator }, crowd, each.length);
  const people = members.map((member, at): Person => {
    const kind = each[at] ?? 'valid';
    return { ...member, kind, result: kinds[kind][1] };
  });
  for (const { platformId, kind } of people) {
    const state = stateOf[kind];
    if (state) await simulator.control('PUT', `/users/${platformId}`, state);
  }
  await expireTokens(db, crowd, idsOf(people, 'expired'));
  await prepareGuild(place, people);
  return people;
};

const stateOf: Partial<Record<Kind, object>> = {
  expired: { tokenState: 'expired' },
  unawares: { tokenState: 'expired' },
  revoked: { tokenState: 'revoked' },
  capped: { atGuildCap: true },
};

const idsOf = (people: Person[], wanted: Kind): string[] =>
  people.filter(({ kind }) => kind === wanted).map(({ platformId }) => platformId);

const prepareGuild = async ({ lane }: PullPlace, people: Person[]): Promise<void> => {
  const { simulator, whole, guildId } = lane;
  const present = idsOf(people, 'there').map((id) => ({ user: { id }, joined_at: longAgo }));
  const banned = idsOf(people, 'banned').map((id) => ({ user: { id } }));
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...whole,
    members: [...whole.members, ...present],
    bans: banned,
  });
};
