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
export const movePointers = async (
  tx: Transaction,
  server: InGuild,
  { map, isThere, leavesOld }: Follow,
): Promise<void> => {
  const before = await lockPointers(tx, server);
  if (!before) return;
  const moved: Pick<PointerChanges, 'verifiedRoleId' | 'logChannelId'> = {};
  const gone: Pick<PointerChanges, 'missingRoleId' | 'missingChannelId'> = {};
  for (const { name, sort, missing } of pointers) {
    const id = before[name];
    if (id === null || (isThere(id) && !leavesOld)) continue;
    const names = [id, ...(await listAllFormerIds(tx, server.accountId, sort, id))];
    const newId = names.map((former) => map[sort][former]).find((given) => given !== undefined);
    if (newId !== undefined && newId !== id) moved[name] = newId;
    gone[missing] = newId === undefined && !isThere(id) ? id : null;
  }
  await storePointers(tx, server, { ...moved, ...gone });
  await recordMoves(tx, server, changedFields(before, moved));
};

const recordMoves = async (
  tx: Transaction,
  { accountId, serverId }: InGuild,
  changes: ReturnType<typeof changedFields>,
): Promise<void> => {
  if (Object.keys(changes).length === 0) return;
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
const listAllFormerIds = async (
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
export const storeSeenPointers = async (
  tx: Transaction,
  server: InGuild,
  seen: Partial<Record<PointerSort, ReadonlySet<string>>>,
): Promise<void> => {
  const before = await lockPointers(tx, server);
  if (!before) return;
  const moved: Pick<PointerChanges, 'verifiedRoleId' | 'logChannelId'> = {};
  const gone: Pick<PointerChanges, 'missingRoleId' | 'missingChannelId'> = {};
  for (const { name, sort, missing } of pointers) {
    const id = before[name];
    const ids = seen[sort];
    if (!ids) continue;
    gone[missing] = null;
    if (id === null || ids.has(id)) continue;
    const former = await listAllFormerIds(tx, server.accountId, sort, id);
    const there = former.find((one) => ids.has(one));
    if (there === undefined) gone[missing] = id;
    else moved[name] = there;
  }
  await storePointers(tx, server, { ...moved, ...gone });
  await recordMoves(tx, server, changedFields(before, moved));
};
