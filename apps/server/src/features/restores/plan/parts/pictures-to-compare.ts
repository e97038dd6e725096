import type { ImageRef } from '../../../../platform/port.ts';
import type { Snapshot } from '../../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../id-map.ts';
import { pictureSettings } from '../settings.ts';
import type { GuildState } from '../step.ts';

/** By which the hash of a picture is kept in `pictureHashes`. */
export const roleIconKey = (roleId: string) => `icon of role ${roleId}`;

/**
 * Pictures of the target that the platform names otherwise than the backup does, and that may be the
 * same all the same: those that an earlier restore set.
 */
export const findRenamedPictures = (
  snapshot: Snapshot,
  { guildId, settings, roles }: GuildState,
  earlierIds: IdMap,
): [string, ImageRef][] => {
  const [saved] = snapshot.settings ?? [];
  const ofGuild = (['icon', 'splash', 'discoverySplash', 'banner'] as const).flatMap(
    (picture): [string, ImageRef][] => {
      const { hash: field, kind } = pictureSettings[picture];
      const hash = settings[field];
      const isElsewhere = snapshot.guildId !== guildId || hash !== saved?.[field];
      const isRenamed = saved?.pictures[picture] && hash !== null && isElsewhere;
      return isRenamed ? [[picture, { kind, guildId, hash }]] : [];
    },
  );
  const ofRoles = (snapshot.roles ?? []).flatMap(({ id, name, icon, iconHash }) =>
    roles
      .filter((role) => role.id === (earlierIds.roles[id] ?? id) || role.name === name)
      .flatMap((role): [string, ImageRef][] => {
        const { id: roleId, iconHash: hash } = role;
        if (!icon || hash === null || hash === iconHash) return [];
        return [[roleIconKey(roleId), { kind: 'roleIcon', roleId, hash }]];
      }),
  );
  return [...ofGuild, ...ofRoles];
};
