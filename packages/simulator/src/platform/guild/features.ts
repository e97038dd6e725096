import { invalidField } from '../http/api-error.ts';
import type { Guild } from './guild.ts';

/** What a request sets and which feature the guild must have for it; undefined needs none. */
type FeatureDemand = { path: string[]; feature: string | undefined };

/** Refuses the whole request, naming the first field whose feature the guild lacks. */
export const requireFeatures = ({ settings }: Guild, demands: FeatureDemand[]) => {
  for (const { path, feature } of demands) {
    if (feature === undefined || settings.features.includes(feature)) continue;
    const message = `This server does not have the feature ${feature}.`;
    throw invalidField(path, 'GUILD_FEATURE_REQUIRED', message);
  }
};

type Tiered = { byTier: number[]; feature: string; withFeature: number };

const LIMITS = {
  emojis: { byTier: [50, 100, 150, 250], feature: 'MORE_EMOJI', withFeature: 200 },
  stickers: { byTier: [5, 15, 30, 60], feature: 'MORE_STICKERS', withFeature: 60 },
  bitrate: {
    byTier: [96_000, 128_000, 256_000, 384_000],
    feature: 'VIP_REGIONS',
    withFeature: 384_000,
  },
} satisfies Record<string, Tiered>;

/** Grows with the boosts of the guild; some guilds have the feature without them. */
export const boostedLimit = ({ settings }: Guild, resource: keyof typeof LIMITS): number => {
  const { byTier, feature, withFeature }: Tiered = LIMITS[resource];
  const limit = byTier[settings.premium_tier] ?? byTier[0] ?? 0;
  return settings.features.includes(feature) ? Math.max(limit, withFeature) : limit;
};
