import type { Output } from '@holdfast/sdk/dashboard';
import { permissionLabel } from '../labels/permissions.ts';
import { Note } from './page.tsx';

export type GuildRole = Output<'getGuild'>['roles'][number];

/** What a role would give to everybody who gets it. */
export const PowerNote = ({ role }: { role: GuildRole }) => (
  <Note tone="danger" title="This role has dangerous permissions">
    Everybody who gets it could use them:{' '}
    {role.dangerousPermissions.map(permissionLabel).join(', ')}. Nobody gets it before you have
    confirmed it with a code of your second factor.
  </Note>
);

/** Undefined where there is none, or it is harmless. */
export const powerfulRole = (
  roles: readonly GuildRole[] | undefined,
  roleId: string | null | undefined,
): GuildRole | undefined =>
  roles?.find(({ id, dangerousPermissions }) => id === roleId && dangerousPermissions.length > 0);
