import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { channelSettings, plainSettings } from '../plan/action.ts';
import type { IdMap } from '../plan/id-map.ts';
import { featureSwitches, pictureSettings } from '../plan/settings.ts';
import type { GuildState } from '../plan/step.ts';
import type { Difference } from './describe-difference.ts';

export const compareSettings = (
  snapshot: Snapshot,
  { settings: now }: GuildState,
  map: IdMap,
  areChannelsRestored: boolean,
): Difference[] => {
  const saved = snapshot.settings?.[0];
  if (!saved) return [];
  const hashes = Object.values(pictureSettings).map(({ hash }) => hash);
  const differing: string[] = [
    ...plainSettings.filter((field) => saved[field] !== now[field]),
    // Hashes of a picture differ between guilds: only whether there is a picture can be compared.
    ...hashes.filter((hash) => (saved[hash] === null) !== (now[hash] === null)),
    ...featureSwitches.filter(
      (name) => saved.features.includes(name) !== now.features.includes(name),
    ),
    ...channelSettings.filter((setting) => {
      const id = saved[setting];
      // Where channels are not restored, only the plan knows which channel it chose by its name.
      return areChannelsRestored && (id === null ? null : map.channels[id]) !== now[setting];
    }),
  ];
  const type = 'settings';
  return differing.map((detail) => ({ type, name: type, code: 'settingsField', detail }));
};
