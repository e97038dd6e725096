import type { GuildSettings } from '../../../platform/guild.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';

const levels = ['verificationLevel', 'explicitContentFilter'] as const;
export type ProtectiveLevel = (typeof levels)[number];

/**
 * A template comes from a stranger, so it lowers nothing that protects a server. `kept` is what it would have
 * lowered; the snapshot has what the server has instead.
 */
export const keepProtection = (
  snapshot: Snapshot,
  { settings: now }: { settings: Pick<GuildSettings, ProtectiveLevel> },
): { snapshot: Snapshot; kept: ProtectiveLevel[] } => {
  const [saved] = snapshot.settings ?? [];
  const kept = levels.filter((level) => saved && saved[level] < now[level]);
  if (!saved || kept.length === 0) return { snapshot, kept };
  const settings = { ...saved };
  for (const level of kept) settings[level] = now[level];
  return { snapshot: { ...snapshot, settings: [settings] }, kept };
};
