import type { Database, Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { dangerousNames } from '../../../platform/permissions.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { PowerFacts } from '../../alerts/rules.ts';
import { findKeyName } from '../../keys/queries.ts';
import { storeWithheldRole } from './queries.ts';
import type { RolePower } from './read-powers.ts';

type ServerOwner = { accountId: string; serverId: string };
type Dependencies = { queue: Pick<Queue, 'enqueue'> };

/** Raised with what it is about; a harmless role is nothing to tell. */
export const tellConfirmed = async (
  tx: Transaction,
  dependencies: Dependencies,
  server: ServerOwner,
  { use, role }: Pick<PowerFacts, 'use'> & { role: RolePower | undefined },
): Promise<void> => {
  if (!role || role.power === 0n) return;
  const facts = { power: 'CONFIRMED' as const, use, roles: [describe(role)], keyName: null };
  await raiseAlert(tx, dependencies, { ...server, kind: 'INCIDENT', facts });
};

/** Roles that a pull may give back although they are dangerous, with the key that asked for it. */
export const tellAllowed = async (
  tx: Transaction,
  dependencies: Dependencies,
  server: ServerOwner,
  { actor, roles }: { actor: Actor; roles: readonly Pick<RolePower, 'name' | 'power'>[] },
): Promise<void> => {
  if (roles.length === 0) return;
  const isKey = actor.type === 'KEY';
  const keyName = isKey ? await findKeyName(tx, server.accountId, actor.id) : undefined;
  const facts = {
    ...{ power: 'ALLOWED' as const, use: 'PULL' as const, keyName: keyName ?? null },
    roles: roles.map(describe),
  };
  await raiseAlert(tx, dependencies, { ...server, kind: 'INCIDENT', facts });
};

/** What somebody gets by a restore that a key has asked for. */
export const tellRestored = async (
  tx: Transaction,
  dependencies: Dependencies,
  server: ServerOwner,
  { keyId, roles }: { keyId: string; roles: readonly Pick<RolePower, 'name' | 'power'>[] },
): Promise<void> => {
  if (roles.length === 0) return;
  const keyName = (await findKeyName(tx, server.accountId, keyId)) ?? null;
  const facts = {
    power: 'RESTORED' as const,
    use: 'RESTORE' as const,
    keyName,
    roles: roles.map(describe),
  };
  await raiseAlert(tx, dependencies, { ...server, kind: 'INCIDENT', facts });
};

/** Told once, however many people would have got the role, until it can be given again. */
export const reportWithheld = async (
  { db, ...dependencies }: Dependencies & { db: Database },
  server: ServerOwner,
  use: PowerFacts['use'],
  withheld: readonly RolePower[],
): Promise<void> => {
  if (withheld.length === 0) return;
  await db.transaction(async (tx) => {
    const news: RolePower[] = [];
    for (const role of withheld) if (await storeWithheldRole(tx, server, role)) news.push(role);
    if (news.length === 0) return;
    const facts = { power: 'WITHHELD' as const, use, roles: news.map(describe), keyName: null };
    await raiseAlert(tx, dependencies, { ...server, kind: 'INCIDENT', facts });
  });
};

const describe = ({ name, power }: Pick<RolePower, 'name' | 'power'>) => ({
  name,
  permissions: dangerousNames(power),
});
