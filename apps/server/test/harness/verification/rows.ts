import type { Database } from '../../../src/db/connect.ts';
import { pullMemberRoles, pullMembers, pulls } from '../../../src/features/pulls/table.ts';
import {
  appeals,
  attempts,
  identityHashes,
  pendingVerifications,
  roleAssignments,
} from '../../../src/features/verification/table.ts';
import type { OwnedServer } from '../members.ts';

const inAnHour = () => new Date(Date.now() + 3_600_000);
const at = ({ owner, serverId }: OwnedServer) => ({ accountId: owner.accountId, serverId });

/** Rows that a verification leaves, inserted by SQL. */
export const insertAppeal = (
  db: Database,
  server: OwnedServer,
  platformId: string,
  message: string,
  username = 'appellant',
) =>
  db.insert(appeals).values({
    ...{ id: crypto.randomUUID(), ...at(server), platformId, username, message },
    reason: 'VPN',
  });

export const insertAttempt = (
  db: Database,
  server: OwnedServer,
  platformId: string,
  fields: Partial<typeof attempts.$inferInsert> = {},
) => db.insert(attempts).values({ id: crypto.randomUUID(), ...at(server), platformId, ...fields });

export const insertDeviceHash = (db: Database, server: OwnedServer, platformId: string) =>
  db.insert(identityHashes).values({
    ...{ id: crypto.randomUUID(), ...at(server), platformId },
    ...{ kind: 'device', hash: `a-trace-of-${platformId}`, expiresAt: inAnHour() },
  });

export const insertPendingVerification = (
  db: Database,
  server: OwnedServer,
  botId: string,
  platformId: string,
  username = 'visitor',
) =>
  db.insert(pendingVerifications).values({
    ...{ id: crypto.randomUUID(), ...at(server), botId, platformId, username },
    ...{ browserHash: crypto.randomUUID(), attemptId: crypto.randomUUID() },
    ...{ wantsRecovery: true, metRules: { whitelist: false, firewall: false } },
    ...{ scopes: ['identify'], tokenExpiresAt: inAnHour(), expiresAt: inAnHour() },
    ...{ accessToken: 'sealed', refreshToken: 'sealed', sealKeyId: 'k' },
  });

export const insertRoleAssignment = (
  db: Database,
  server: OwnedServer,
  platformId: string,
  memberId: string,
) => db.insert(roleAssignments).values({ memberId, ...at(server), platformId });

/** A pull to the same server that added this member and has still to give roles and a name. */
export const insertPulled = async (
  db: Database,
  server: OwnedServer,
  memberId: string,
): Promise<void> => {
  const [pullId, seq] = [crypto.randomUUID(), 1];
  await db.insert(pulls).values({
    ...{ id: pullId, ...at(server), targetServerId: server.serverId, status: 'completed' },
    ...{ total: 1, processed: 1, joined: 1 },
  });
  await db
    .insert(pullMembers)
    .values({ pullId, seq, memberId, isForeign: false, result: 'joined' });
  await db.insert(pullMemberRoles).values({ pullId, seq, memberId, roleIds: ['7'], nick: 'Ann' });
};
