import type { Queryable } from '../../../db/connect.ts';
import { type KeyRing, unlessBroken } from '../../../kernel/seal.ts';
import type { Platform } from '../../../platform/port.ts';
import { readPersonalDataInBackups } from '../../backups/erasure/personal-data.ts';
import { listMembershipsOfPerson } from '../../members/queries/person.ts';
import {
  listActsOfPerson,
  listArmedOfPerson,
  listChangesOfPerson,
  listIncidentsOfPerson,
  listJoinsOfPerson,
} from '../../protection/queries/person.ts';
import { listPullsOfPerson } from '../../pulls/queries/members.ts';
import { listRecallsOfPerson } from '../../pulls/recall/queries.ts';
import { openCode } from '../../pulls/recall/sealed-code.ts';
import { listSessionsOfPerson } from '../../sessions/queries.ts';
import { listTokensOfPerson } from '../../vault/queries.ts';
import { listAppealsOfPerson } from '../../verification/queries/appeals.ts';
import { listAttemptsOfPerson } from '../../verification/queries/attempts.ts';
import { listIdentityHashesOfPerson } from '../../verification/queries/identity-hashes.ts';
import { listPendingOfPerson } from '../../verification/queries/pending-verifications.ts';
import { listRoleAssignmentsOfPerson } from '../../verification/queries/role-assignments.ts';
import { listServersById } from '../queries.ts';

export type PersonalData = Awaited<ReturnType<typeof readPersonalData>>;
export type PersonalDataOnServer = PersonalData['servers'][number];

type PersonalDataDependencies = {
  db: Queryable;
  ring: KeyRing;
  platform: Pick<Platform, 'inviteUrl'>;
};

/**
 * All that is stored about a person, by server, but for the blacklist and rules, which are the owners'.
 * The export is this object as JSON, so its keys do not change.
 */
export const readPersonalData = async (
  { db, ring, platform }: PersonalDataDependencies,
  platformId: string,
) => {
  const memberships = await listMembershipsOfPerson(db, platformId);
  const tokens = await listTokensOfPerson(db, platformId);
  const appeals = await listAppealsOfPerson(db, platformId);
  const hashes = await listIdentityHashesOfPerson(db, platformId);
  const pending = await listPendingOfPerson(db, platformId);
  const attempts = await listAttemptsOfPerson(db, platformId);
  const joins = await listJoinsOfPerson(db, platformId);
  const incidents = await listIncidentsOfPerson(db, platformId);
  const acts = await listActsOfPerson(db, platformId);
  const changes = await listChangesOfPerson(db, platformId);
  const armed = await listArmedOfPerson(db, platformId);
  const pulls = await listPullsOfPerson(db, platformId);
  const verifiedRoles = await listRoleAssignmentsOfPerson(db, platformId);
  const ofVerification = [memberships, appeals, hashes, pending, attempts, verifiedRoles, pulls];
  const ofProtection = [joins, incidents, acts, changes, armed];
  const rows = [...ofVerification, ...ofProtection].flat();
  const ids = rows.map(({ serverId }) => serverId);
  const recalls = (await listRecallsOfPerson(db, platformId)).flatMap((recall) =>
    describeRecall(ring, platform, recall),
  );
  const servers = await listServersById(db, [...new Set(ids)]);

  return {
    platformId,
    sessions: await listSessionsOfPerson(db, platformId),
    backups: await readPersonalDataInBackups(db, ring, platformId),
    servers: servers.map((server) => {
      const membership = memberships.find(({ serverId }) => serverId === server.id);
      return {
        ...server,
        membership: membership && describeMembership(membership, tokens),
        traces: rowsOf(server, hashes),
        appeals: rowsOf(server, appeals),
        visits: rowsOf(server, pending),
        attempts: rowsOf(server, attempts),
        recalls: rowsOf(server, recalls),
        joins: rowsOf(server, joins),
        incidents: rowsOf(server, incidents),
        acts: rowsOf(server, acts),
        changes: rowsOf(server, changes),
        armed: rowsOf(server, armed),
        pulls: rowsOf(server, pulls),
        verifiedRoles: rowsOf(server, verifiedRoles),
      };
    }),
  };
};

/** Without the account, which is not the person's concern. */
const rowsOf = <Row extends { serverId: string; accountId: string }>(
  server: { id: string },
  rows: Row[],
) =>
  rows
    .filter((row) => row.serverId === server.id)
    .map(({ serverId: _server, accountId: _account, ...shown }) => shown);

type RecallRow = Awaited<ReturnType<typeof listRecallsOfPerson>>[number];

/** Left out where nobody can use it yet, and where the code does not open: its owner can create another. */
const describeRecall = (
  ring: KeyRing,
  platform: Pick<Platform, 'inviteUrl'>,
  { serverId, accountId, targetName, expiresAt, isOpen, ...sealed }: RecallRow,
) => {
  if (!isOpen) return [];
  const code = unlessBroken(() => openCode(ring, { accountId, ...sealed }));
  if (code === undefined) return [];
  return [{ serverId, accountId, to: targetName, url: platform.inviteUrl(code), expiresAt }];
};

type Membership = Awaited<ReturnType<typeof listMembershipsOfPerson>>[number];
type TokensOfPerson = Awaited<ReturnType<typeof listTokensOfPerson>>;

const describeMembership = (membership: Membership, tokens: TokensOfPerson) => {
  const { accountId, serverId: _, botId, ...shown } = membership;
  const token = tokens.find((kept) => kept.accountId === accountId && kept.botId === botId);
  return { ...shown, isTokenKept: token !== undefined, tokenScopes: token?.scopes ?? [] };
};
