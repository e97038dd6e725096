import { isDatabaseFailure } from '../../../db/failures.ts';
import { findBackupOfMembers } from '../../backups/queries.ts';
import { readPowersNow } from '../../servers/power/confirm-power.ts';
import type { RolePower } from '../../servers/power/read-powers.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { type PreviewDependencies, readAllRoles } from './preview.ts';

type Body = {
  targetServerId?: string | undefined;
  roleId?: string | undefined;
  allowDangerousRoles?: readonly string[] | undefined;
};

/** What a request for a pull names, as far as it can be read now. */
export type NamedRoles = {
  /** The role that everybody gets. */
  role: RolePower | undefined;
  /** Those that may be given back although they are dangerous. */
  allowed: { name: string; power: bigint }[];
};

export const readNamedRoles = async (
  dependencies: PreviewDependencies,
  { accountId, serverId }: { accountId: string; serverId: string },
  { targetServerId = serverId, roleId, allowDangerousRoles = [] }: Body,
): Promise<NamedRoles> => {
  const isAnyNamed = roleId !== undefined || allowDangerousRoles.length > 0;
  const owner = { accountId, serverId: targetServerId };
  const target = isAnyNamed ? await findGuildOfServer(dependencies.db, owner) : undefined;
  if (!target) return { role: undefined, allowed: [] };
  const powers = await readPowersNow(dependencies, { accountId, ...target });
  const server = { id: serverId, accountId };
  const names = allowDangerousRoles.length > 0 ? await readSavedNames(dependencies, server) : null;
  return {
    role: roleId === undefined ? undefined : powers.get(roleId),
    allowed: allowDangerousRoles.map((id) => {
      const { name = id, power = 0n } = powers.get(id) ?? {};
      return { name: names?.get(id) ?? name, power };
    }),
  };
};

/** Their names in the backup that they come from; without one, or where it cannot be read, none. */
const readSavedNames = async (
  dependencies: PreviewDependencies,
  server: { id: string; accountId: string },
): Promise<Map<string, string>> => {
  try {
    const backup = await findBackupOfMembers(dependencies.db, server);
    if (!backup?.checksum) return new Map();
    const { roles } = await readAllRoles(dependencies, server.accountId, backup.checksum);
    return new Map(roles.map(({ id, name }) => [id, name ?? id]));
  } catch (error) {
    if (isDatabaseFailure(error)) throw error;
    return new Map();
  }
};
