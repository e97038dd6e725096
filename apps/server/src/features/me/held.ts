import type { Queryable } from '../../db/connect.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { readHeldInBackups } from '../backups/people/read-held.ts';
import { listMembershipsOfPerson } from '../members/person/queries.ts';
import { listSessionsOfPerson } from '../sessions/queries.ts';
import { listTokensOfPerson } from '../vault/queries.ts';
import { listAppealsOf, listPassagesOf, listServersOf, listTracesOf } from './queries.ts';

export type Held = Awaited<ReturnType<typeof readHeld>>;
export type HeldByServer = Held['servers'][number];

/** All that is held about a person, server by server. An owner's blacklist and rules are the owner's. */
export const readHeld = async (
  { db, ring }: { db: Queryable; ring: KeyRing },
  platformId: string,
) => {
  const memberships = await listMembershipsOfPerson(db, platformId);
  const tokens = await listTokensOfPerson(db, platformId);
  const appeals = await listAppealsOf(db, platformId);
  const traces = await listTracesOf(db, platformId);
  const passages = await listPassagesOf(db, platformId);
  const ids = [...memberships, ...appeals, ...traces, ...passages].map(({ serverId }) => serverId);
  const servers = await listServersOf(db, [...new Set(ids)]);

  /** Whose account it is, is not the person's matter; which server it is, is told already. */
  const at = <Row extends { serverId: string; accountId: string }>(rows: Row[], serverId: string) =>
    rows
      .filter((row) => row.serverId === serverId)
      .map(({ serverId: _server, accountId: _user, ...shown }) => shown);

  return {
    platformId,
    sessions: await listSessionsOfPerson(db, platformId),
    backups: await readHeldInBackups(db, ring, platformId),
    servers: servers.map((server) => {
      const membership = memberships.find(({ serverId }) => serverId === server.id);
      return {
        ...server,
        membership: membership && shownOf(membership, tokens),
        traces: at(traces, server.id),
        appeals: at(appeals, server.id),
        visits: at(passages, server.id),
      };
    }),
  };
};

type Membership = Awaited<ReturnType<typeof listMembershipsOfPerson>>[number];
type TokensOfPerson = Awaited<ReturnType<typeof listTokensOfPerson>>;

const shownOf = (membership: Membership, tokens: TokensOfPerson) => {
  const { accountId, serverId: _, botId, ...shown } = membership;
  const token = tokens.find((kept) => kept.accountId === accountId && kept.botId === botId);
  return { ...shown, isTokenKept: token !== undefined, tokenScopes: token?.scopes ?? [] };
};
