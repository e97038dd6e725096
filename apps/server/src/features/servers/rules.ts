import type { Plan, PlanFeature, ServerChanges } from '@holdfast/contract';

/** The settings that only some plans include, and the feature each of them needs. */
const featureOfSetting = {
  vpnBlockEnabled: 'hasVpnDetection',
  altDetectEnabled: 'hasAltDetection',
  firewallEnabled: 'hasFirewall',
} as const satisfies Partial<Record<keyof ServerChanges, PlanFeature>>;

type GatedSetting = keyof typeof featureOfSetting;
const gatedSettings = Object.keys(featureOfSetting) as GatedSetting[];

/**
 * The first setting that a change would switch on although the plan lacks it. What is on already may
 * stay on, so that after a downgrade every other setting can still be changed.
 */
export const findSettingBeyondPlan = (
  before: Record<GatedSetting, boolean>,
  changes: Partial<Record<GatedSetting, boolean | undefined>>,
  limits: Plan,
): GatedSetting | undefined =>
  gatedSettings.find(
    (setting) => changes[setting] && !before[setting] && !limits[featureOfSetting[setting]],
  );
