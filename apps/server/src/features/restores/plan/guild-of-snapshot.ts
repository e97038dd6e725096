import type { GuildSettings } from '../../../platform/guild.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { LiveParts } from './parts/live-parts.ts';
import type { PlanInput } from './plan-context.ts';

/** Nobody's permissions limit a comparison: the bot is the owner. */
const owner = { userId: '0', roleIds: [] };

/**
 * A snapshot as if it were the guild, to plan over it. What it does not hold must not be among the
 * components of the plan; settings are needed in any case, since they say which features there are.
 */
export const guildOfSnapshot = (
  snapshot: Snapshot,
  usualSettings: GuildSettings,
): Pick<PlanInput, 'current' | 'bot'> => {
  const { guildId, settings: [settings = usualSettings] = [], bans, memberRoles } = snapshot;
  const { roles = [], channels = [], emojis = [], stickers = [] } = snapshot;
  return {
    bot: owner,
    current: {
      ...{ guildId, ownerId: owner.userId, settings, roles, channels, emojis, stickers },
      ...(bans && { bans }),
      ...(memberRoles && { members: memberRoles }),
      parts: partsOf(snapshot),
    },
  };
};

const partsOf = (snapshot: Snapshot): LiveParts => {
  const { settings: [settings] = [], automod, events, soundboard, webhooks } = snapshot;
  const [onboarding] = snapshot.onboarding ?? [];
  return {
    widget: settings?.widget ?? { isEnabled: false, channelId: null },
    vanityCode: settings?.vanityCode ?? null,
    inviteCodes: settings?.invites?.map(({ code }) => code) ?? [],
    ...{ automod, onboarding, events, soundboard, webhooks },
    ...(snapshot.welcomeScreen && { welcomeScreen: snapshot.welcomeScreen[0] ?? null }),
  };
};
