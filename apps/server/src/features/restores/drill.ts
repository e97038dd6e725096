import type { GuildSettings } from '../../platform/guild.ts';
import type { Image } from '../../platform/port.ts';
import type { SectionName, Snapshot } from '../backups/snapshot.ts';
import { findDifferences } from './differences.ts';
import { addCreated } from './id-map.ts';
import { createModelGuild, type ModelGuild } from './model-guild.ts';
import { planRestore } from './plan.ts';
import { type LoadImage, runStep } from './run-step.ts';
import type { Loss, PresentGuild, RestorePlan } from './step.ts';

export type DrillResult = { restorable: boolean; losses: Loss[]; differences: string[] };

/**
 * Proves a backup by restoring it: into an empty server in memory, through the same plan and the same
 * steps as a real restore. What no restore can make (roles of integrations, people) is taken as there.
 */
export const drill = async (
  desired: Snapshot,
  loadImage: LoadImage = blankImage,
): Promise<DrillResult> => {
  const guild = createModelGuild(emptyServerFor(desired));
  const sections = Object.keys(desired).filter((name) => name !== 'guildId' && name !== 'messages');
  // Keys of a snapshot other than its guild's id are its sections.
  const components = sections as SectionName[];
  const bot = { userId: guild.state.ownerId, roleIds: [] };
  const plan = planRestore({ desired, present: structuredClone(guild.state), components, bot });
  const idMap = await runAll(guild, plan, loadImage);
  const differences = findDifferences(desired, guild.state, idMap, components);
  const restorable = differences.length === 0 && plan.blockers.length === 0;
  return { restorable, losses: plan.losses, differences };
};

const restEveryMs = 8;

/** A large server takes long: others are served meanwhile. */
const createRest = () => {
  let restedAt = performance.now();
  return async (): Promise<void> => {
    if (performance.now() - restedAt < restEveryMs) return;
    await Bun.sleep(0);
    restedAt = performance.now();
  };
};

/** One step after the other; a step that fails shows in what is then missing. */
const runAll = async (guild: ModelGuild, plan: RestorePlan, loadImage: LoadImage) => {
  const idMap = structuredClone(plan.idMap);
  const rest = createRest();
  for (const { action } of plan.steps) {
    await rest();
    const done = await runStep(guild, action, idMap, loadImage).catch(() => ({}));
    addCreated(idMap, action, 'createdId' in done ? done.createdId : undefined);
  }
  return idMap;
};

const blankImage: LoadImage = async ({ contentType }): Promise<Image> => ({
  contentType,
  bytes: new Uint8Array(),
});

const DRILL_GUILD = '1';
const DRILL_OWNER = '2';

const emptyServerFor = (desired: Snapshot): Required<PresentGuild> => ({
  guildId: DRILL_GUILD,
  ownerId: DRILL_OWNER,
  settings: { ...emptySettings, features: givenFeatures(desired) },
  roles: [
    {
      id: DRILL_GUILD,
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
    ...structuredClone((desired.roles ?? []).filter(({ isManaged }) => isManaged)),
  ],
  channels: [],
  emojis: [],
  stickers: [],
  bans: [],
  members: (desired.memberRoles ?? []).map((member) => ({ ...member, nick: null, roleIds: [] })),
});

/** What boosts and the platform give is not the backup's to restore. */
const givenFeatures = ({ settings }: Snapshot): string[] =>
  settings?.[0]?.features.filter((name) => !switches.includes(name)) ?? everyFeature;

const switches = ['COMMUNITY', 'DISCOVERABLE', 'INVITES_DISABLED', 'RAID_ALERTS_DISABLED'];
/** Where the backup does not say what its server had, nothing is held against it. */
const everyFeature = ['COMMUNITY', 'ROLE_ICONS', 'ENHANCED_ROLE_COLORS', 'VANITY_URL', 'VERIFIED'];

const emptySettings: GuildSettings = {
  name: 'A drill',
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
