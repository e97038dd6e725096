import { dangerous, grantsOf, powerIn } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { overwritesOf } from './action-overwrites.ts';
import type { Step } from './step.ts';

/**
 * The power that the steps give to roles, as bits in words, by the ids of the backup or of the target: a role
 * that is made anew has none until then, and one that is there can have less.
 */
export const comingPowerOf = (steps: readonly Pick<Step, 'action'>[]): Record<string, string> => {
  const coming = new Map<string, bigint>();
  const add = (id: string, power: bigint) => {
    if (power !== 0n) coming.set(id, (coming.get(id) ?? 0n) | power);
  };
  for (const { action } of steps) {
    if (action.do === 'editRole') {
      const { role, changes } = action;
      const id = 'backup' in role ? role.backup : role.present;
      add(id, powerIn(BigInt(changes.permissions ?? 0)));
    }
    for (const { id, kind, allow } of overwritesOf(action) ?? []) {
      if (kind === 'role') add(id, BigInt(allow) & dangerous);
    }
  }
  return Object.fromEntries([...coming].map(([id, power]) => [id, String(power)]));
};

/** The power that the roles which the steps give to members had in the backup, as bits in words, by their ids there. */
export const powerHad = (
  steps: readonly Pick<Step, 'action'>[],
  { roles = [], channels = [] }: Pick<Snapshot, 'roles' | 'channels'>,
): Record<string, string> => {
  const given = new Set(
    steps
      .flatMap(({ action }) => (action.do === 'editMember' ? (action.roles ?? []) : []))
      .flatMap((ref) => ('backup' in ref ? [ref.backup] : [])),
  );
  const powers = roles
    .filter(({ id }) => given.has(id))
    .map((role) => [role.id, powerIn(grantsOf(role, channels))] as const);
  return Object.fromEntries(
    powers.filter(([, power]) => power !== 0n).map(([id, power]) => [id, String(power)]),
  );
};
