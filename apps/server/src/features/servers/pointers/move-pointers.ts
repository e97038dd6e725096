import type { Queryable, Transaction } from '../../../db/connect.ts';
import { recordAudit } from '../../audit/queries.ts';
import { changedFields, systemActor } from '../../audit/rules.ts';
import { type PointerSort, pointers } from './pointers.ts';
import {
  listFormerIds,
  listGivenIn,
  lockPointers,
  type PointerChanges,
  storePointers,
} from './queries.ts';

type InGuild = { accountId: string; serverId: string; guildId: string };

/** What a restore did to a thing that a pointer names. */
type Follow = {
  /** The id that stands in the target for an id of the backup. */
  map: Record<PointerSort, Record<string, string>>;
  isThere(id: string): boolean;
  /** Whether what is still there is left for what was made anew. */
  leavesOld: boolean;
};

/** At the end of a restore: what points at something of the target follows it. */
export const movePointers = (
  tx: Transaction,
  server: InGuild,
  { map, isThere, leavesOld }: Follow,
): Promise<void> =>
  changePointers(tx, server, async (sort, id) => {
    if (id === null || (isThere(id) && !leavesOld)) return undefined;
    const names = [id, ...(await listAllFormerIds(tx, server.accountId, sort, id))];
    const newId = names.map((former) => map[sort][former]).find((given) => given !== undefined);
    return { newId, isGone: newId === undefined && !isThere(id) };
  });

type Place = { newId?: string | undefined; isGone: boolean };

/** A pointer of which `find` says nothing stays as it is. */
const changePointers = async (
  tx: Transaction,
  server: InGuild,
  find: (sort: PointerSort, id: string | null) => Promise<Place | undefined>,
): Promise<void> => {
  const before = await lockPointers(tx, server);
  if (!before) return;
  const moved: Pick<PointerChanges, 'verifiedRoleId' | 'logChannelId'> = {};
  const gone: Pick<PointerChanges, 'missingRoleId' | 'missingChannelId'> = {};
  for (const { name, sort, missing } of pointers) {
    const id = before[name];
    const place = await find(sort, id);
    if (!place) continue;
    if (place.newId !== undefined && place.newId !== id) moved[name] = place.newId;
    gone[missing] = place.isGone ? id : null;
  }
  await storePointers(tx, server, { ...moved, ...gone });
  const changes = changedFields(before, moved);
  if (Object.keys(changes).length === 0) return;
  const { accountId, serverId } = server;
  await recordAudit(tx, {
    accountId,
    actor: systemActor,
    action: 'server.update',
    subject: { type: 'server', id: serverId },
    changes,
  });
};

/**
 * Where the pointers lead in the guild that a server moves to, by the restores into that guild. What has
 * no counterpart there stays as it is, and is marked as missing.
 */
export const pointersInGuild = async (
  db: Queryable,
  owner: { accountId: string; guildId: string },
  before: { verifiedRoleId: string | null; logChannelId: string | null },
) => {
  const after: PointerChanges = {};
  for (const { name, sort, missing } of pointers) {
    const id = before[name];
    if (id === null) continue;
    const newId = await findGivenIn(db, owner, sort, id);
    after[name] = newId ?? id;
    after[missing] = newId === undefined ? id : null;
  }
  return after;
};

const longestChain = 50;

/** The ids that a thing had before restores gave it this one. */
export const listAllFormerIds = async (
  db: Queryable,
  accountId: string,
  sort: PointerSort,
  id: string,
): Promise<string[]> => {
  const seen = new Set([id]);
  let names = [id];
  for (let link = 0; names.length > 0 && link < longestChain; link++) {
    const former = await listFormerIds(db, accountId, sort, names);
    names = [...new Set(former)].filter((name) => !seen.has(name));
    for (const name of names) seen.add(name);
  }
  return [...seen].slice(1);
};

/** The id by which restores into the guild made it, by the last of them. */
const findGivenIn = async (
  db: Queryable,
  owner: { accountId: string; guildId: string },
  sort: PointerSort,
  id: string,
): Promise<string | undefined> => {
  const seen = new Set<string>();
  let names = [id, ...(await listAllFormerIds(db, owner.accountId, sort, id))];
  let found: string | undefined;
  for (let link = 0; link < longestChain; link++) {
    const [given] = await listGivenIn(db, owner, sort, names);
    if (!given || seen.has(given.newId)) return found;
    found = given.newId;
    seen.add(found);
    names = [found];
  }
  return found;
};

/**
 * What was seen in the guild: sections that were not looked at say nothing. Where a pointer names what is
 * not there, and what it was made from is, the server has moved back to that guild: the pointer follows.
 */
export const storeSeenPointers = (
  tx: Transaction,
  server: InGuild,
  seen: Partial<Record<PointerSort, ReadonlySet<string>>>,
): Promise<void> =>
  changePointers(tx, server, async (sort, id) => {
    const ids = seen[sort];
    if (!ids) return undefined;
    if (id === null || ids.has(id)) return { isGone: false };
    const former = await listAllFormerIds(tx, server.accountId, sort, id);
    const newId = former.find((one) => ids.has(one));
    return { newId, isGone: newId === undefined };
  });
