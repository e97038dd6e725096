import type { GuildSettings } from '../../../platform/guild.ts';
import type { SectionName, Snapshot } from '../../backups/snapshot/snapshot.ts';
import { describeLoss, toStoredLoss } from '../plan/loss.ts';
import { planRestore } from '../plan/plan-restore.ts';
import { featureSwitches } from '../plan/settings.ts';
import type { WholeGuild } from '../plan/step.ts';
import { runPlan } from '../run/run-plan.ts';
import { describeDifference } from './describe-difference.ts';
import { findDifferences } from './differences.ts';
import { createModelGuild, idsAbove } from './model-guild.ts';

export type TestRestoreResult = { restorable: boolean; losses: string[]; differences: string[] };

/**
 * Proves that a backup is restorable: restores it into an empty guild in memory, through the same plan
 * and the same steps as a real restore. What no restore can create (roles of integrations, people) is
 * assumed to be there.
 */
export const testRestore = async (snapshot: Snapshot): Promise<TestRestoreResult> => {
  const guild = createModelGuild(emptyGuildFor(snapshot));
  const sections = Object.keys(snapshot).filter((key) => key !== 'guildId' && key !== 'messages');
  // Keys of a snapshot other than its guild's id are its sections.
  const components = sections as SectionName[];
  const bot = { userId: guild.state.ownerId, roleIds: [] };
  const plan = planRestore({ snapshot, current: structuredClone(guild.state), components, bot });
  const idMap = await runPlan(guild, plan);
  const differences = findDifferences(snapshot, guild.state, idMap, components);
  return {
    restorable: differences.length === 0 && plan.blockers.length === 0,
    losses: plan.losses.map((loss) => `${describeLoss(toStoredLoss(loss))}.`),
    differences: differences.map(describeDifference),
  };
};

const emptyGuildFor = (snapshot: Snapshot): WholeGuild => {
  const { roles = [], channels = [], bans = [], memberRoles = [] } = snapshot;
  const things = [{ id: snapshot.guildId }, ...roles, ...channels];
  const people = [...bans, ...memberRoles];
  // Ids that mean nothing in the backup.
  const nextId = idsAbove([...things.map(({ id }) => id), ...people.map(({ userId }) => userId)]);
  const guildId = nextId();
  return {
    guildId,
    ownerId: nextId(),
    settings: { ...emptySettings, features: givenFeatures(snapshot) },
    roles: [
      {
        id: guildId,
        name: '@everyone',
        colors: { primary: 0, secondary: null, tertiary: null },
        isHoisted: false,
        isMentionable: false,
        isManaged: false,
        botId: null,
        permissions: '0',
        position: 0,
        iconHash: null,
        unicodeEmoji: null,
      },
      ...structuredClone(roles.filter(({ isManaged }) => isManaged)),
    ],
    channels: [],
    emojis: [],
    stickers: [],
    bans: [],
    members: memberRoles.map((member) => ({ ...member, nick: null, roleIds: [] })),
  };
};

/** The features that come from boosts and the platform are not restored, and so assumed. */
const givenFeatures = ({ settings }: Snapshot): string[] =>
  settings?.[0]?.features.filter((name) => !featureSwitches.includes(name)) ?? everyFeature;

/** Where the backup has no settings, a missing feature is not counted against it. */
const everyFeature = ['COMMUNITY', 'ROLE_ICONS', 'ENHANCED_ROLE_COLORS', 'VANITY_URL', 'VERIFIED'];

export const emptySettings: GuildSettings = {
  name: 'Test restore',
  description: null,
  iconHash: null,
  splashHash: null,
  discoverySplashHash: null,
  bannerHash: null,
  verificationLevel: 0,
  defaultMessageNotifications: 0,
  explicitContentFilter: 0,
  preferredLocale: 'en-US',
  afkChannelId: null,
  afkTimeoutSeconds: 300,
  systemChannelId: null,
  systemChannelFlags: 0,
  rulesChannelId: null,
  publicUpdatesChannelId: null,
  safetyAlertsChannelId: null,
  isProgressBarEnabled: false,
  features: [],
};
