import fc from 'fast-check';
import { permission } from '../../../src/platform/permissions.ts';
import { permissionSet, type TestGuild } from './arbitrary-guild.ts';

/** Enough to begin, and a chance of everything else. */
const enough =
  permission.manageRoles |
  permission.manageChannels |
  permission.viewChannel |
  permission.manageGuild |
  permission.banMembers |
  permission.manageNicknames |
  permission.manageExpressions |
  permission.createExpressions;

export const lesserBot = fc.record({ permissions: permissionSet, rank: fc.nat(6) });

export const demoteBot = (
  target: TestGuild,
  { permissions, rank }: { permissions: string; rank: number },
) => {
  const demoted = structuredClone(target);
  const own = demoted.roles.pop();
  if (!own) throw new Error('The bot has a role of its own');
  own.permissions = (enough | BigInt(permissions)).toString();
  demoted.roles.splice(1 + Math.min(rank, demoted.roles.length - 1), 0, own);
  demoted.roles.forEach((role, position) => {
    role.position = position;
  });
  return demoted;
};
