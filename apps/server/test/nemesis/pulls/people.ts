import type { PullResult } from '@holdfast/contract';
import { addManyMembers, type MemberWithToken } from '../../harness/pulls/many-members.ts';
import { backUp, backupsOf } from '../lane/calls.ts';
import { deleteMembers, expireTokens } from '../lane/queries.ts';
import type { PullSetup } from './setup.ts';

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

export type Person = MemberWithToken & { kind: Kind; result: PullResult };

const longAgo = '2020-01-01T00:00:00.000Z';

/** All kinds mixed, each spread evenly over the whole. */
const kindOfEach = (): Kind[] => {
  // Their names are the keys.
  const all = (Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][]).flatMap(([kind, [count]]) =>
    Array.from({ length: count }, (_, index) => ({ kind, at: (index + 0.5) / count })),
  );
  return all.toSorted((one, other) => one.at - other.at).map(({ kind }) => kind);
};

/** Deletes the people of an earlier run and resets the guild. */
export const preparePeople = async (setup: PullSetup): Promise<Person[]> => {
  const { lane, server, ring } = setup;
  const { db, simulator } = lane;
  await deleteMembers(db, server);
  const each = kindOfEach();
  const members = await addManyMembers({ db, ring, simulator }, server, each.length);
  const people = members.map((member, at): Person => {
    const kind = each[at] ?? 'valid';
    return { ...member, kind, result: kinds[kind][1] };
  });
  for (const { platformId, kind } of people) {
    const state = stateOf[kind];
    if (state) await simulator.control('PUT', `/users/${platformId}`, state);
  }
  await expireTokens(db, server, idsOf(people, 'expired'));
  await backUpPeople(setup, people);
  await prepareGuild(setup, people);
  return people;
};

const stateOf: Partial<Record<Kind, object>> = {
  expired: { tokenState: 'expired' },
  unawares: { tokenState: 'expired' },
  revoked: { tokenState: 'revoked' },
  capped: { atGuildCap: true },
};

const idsOf = (people: Person[], expected: Kind): string[] =>
  people.filter(({ kind }) => kind === expected).map(({ platformId }) => platformId);

/** What everybody is called in the backup. */
export const savedNick = 'Old hand';

/** Everybody was a member, with a role and a nickname; the backup of an earlier run is deleted. */
const backUpPeople = async (setup: PullSetup, people: Person[]): Promise<void> => {
  const { lane, savedRoleId } = setup;
  const { simulator, whole, guildId, tenant } = lane;
  const members = people.map(({ platformId }) => ({
    ...{ user: { id: platformId }, roles: [savedRoleId], nick: savedNick, joined_at: longAgo },
  }));
  const state = { ...whole, members: [...whole.members, ...members] };
  await simulator.control('PUT', `/guilds/${guildId}`, state);
  const { body } = await tenant.call('GET', backupsOf(lane));
  for (const { id } of body.data) await tenant.call('DELETE', `${backupsOf(lane)}/${id}`);
  await backUp(lane);
};

const prepareGuild = async ({ lane }: PullSetup, people: Person[]): Promise<void> => {
  const { simulator, whole, guildId } = lane;
  const present = idsOf(people, 'there').map((id) => ({ user: { id }, joined_at: longAgo }));
  const banned = idsOf(people, 'banned').map((id) => ({ user: { id } }));
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...whole,
    members: [...whole.members, ...present],
    bans: banned,
  });
};
