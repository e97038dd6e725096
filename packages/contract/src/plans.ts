import { z } from 'zod';
import { count } from './common.ts';

export const planNames = ['FREE', 'PREMIUM', 'BUSINESS', 'ENTERPRISE'] as const;
export const planName = z.enum(planNames).meta({ id: 'Plan', example: 'PREMIUM' });
export type PlanName = z.infer<typeof planName>;

export const planLimits = z
  .object({
    maxServers: count.describe('Servers allowed.'),
    maxBots: count.describe('Custom bots allowed.'),
    maxBackups: count.describe('Backups allowed for all servers of the account.'),
    maxStorageBytes: count.describe('Storage in bytes.'),
    pullCooldownMs: count.describe('Shortest time between two pulls of one server.'),
    marketplaceFeePercent: z.number().min(0).max(100).describe('Fee on marketplace sales.'),
    apiRatePerTenSeconds: z.int().min(1).describe('API requests per key in 10 seconds.'),
    hasVpnDetection: z.boolean().describe('Newcomers who use a VPN can be blocked.'),
    hasAltDetection: z.boolean().describe('Second accounts of a person can be blocked.'),
    hasFirewall: z.boolean().describe('Firewall rules can be added.'),
    hasAutoRepair: z
      .boolean()
      .describe('What an attacker destroyed can be repaired automatically.'),
  })
  .meta({
    id: 'PlanLimits',
    example: {
      maxServers: 5,
      maxBots: 3,
      maxBackups: 50,
      maxStorageBytes: 10737418240,
      pullCooldownMs: 7200000,
      marketplaceFeePercent: 10,
      apiRatePerTenSeconds: 50,
      hasVpnDetection: true,
      hasAltDetection: true,
      hasFirewall: true,
      hasAutoRepair: true,
    },
  });
export type PlanLimits = z.infer<typeof planLimits>;
export type PlanFeature = 'hasVpnDetection' | 'hasAltDetection' | 'hasFirewall';

const plan = planLimits.extend({ priceCents: count });
export type Plan = z.infer<typeof plan>;
export type Plans = Record<PlanName, Plan>;

const GiB = 1024 ** 3;
const hours = 60 * 60 * 1000;

export const defaultPlans: Plans = {
  FREE: {
    priceCents: 0,
    maxServers: 1,
    maxBots: 1,
    maxBackups: 15,
    maxStorageBytes: 1 * GiB,
    pullCooldownMs: 18 * hours,
    marketplaceFeePercent: 15,
    apiRatePerTenSeconds: 20,
    hasVpnDetection: true,
    hasAltDetection: false,
    hasFirewall: false,
    hasAutoRepair: false,
  },
  PREMIUM: {
    priceCents: 500,
    maxServers: 5,
    maxBots: 3,
    maxBackups: 50,
    maxStorageBytes: 10 * GiB,
    pullCooldownMs: 2 * hours,
    marketplaceFeePercent: 10,
    apiRatePerTenSeconds: 50,
    hasVpnDetection: true,
    hasAltDetection: true,
    hasFirewall: true,
    hasAutoRepair: true,
  },
  BUSINESS: {
    priceCents: 1500,
    maxServers: 25,
    maxBots: 10,
    maxBackups: 250,
    maxStorageBytes: 50 * GiB,
    pullCooldownMs: 0.5 * hours,
    marketplaceFeePercent: 7.5,
    apiRatePerTenSeconds: 100,
    hasVpnDetection: true,
    hasAltDetection: true,
    hasFirewall: true,
    hasAutoRepair: true,
  },
  ENTERPRISE: {
    priceCents: 5000,
    maxServers: 100,
    maxBots: 50,
    maxBackups: 1000,
    maxStorageBytes: 250 * GiB,
    pullCooldownMs: 0,
    marketplaceFeePercent: 5,
    apiRatePerTenSeconds: 200,
    hasVpnDetection: true,
    hasAltDetection: true,
    hasFirewall: true,
    hasAutoRepair: true,
  },
};

/** The operator's file can change any value of the table. */
const planOverrides = z.partialRecord(planName, plan.partial().strict());

export const overridePlans = (overrides: unknown): Plans => {
  const parsed = planOverrides.parse(overrides);
  const entries = planNames.map((name) => [name, { ...defaultPlans[name], ...parsed[name] }]);
  return Object.fromEntries(entries);
};

/** Limits of one account (rules, panels: of one server) on every plan; beyond them creating is refused with 403. */
export const accountLimits = {
  rulesPerList: 1000,
  liveKeys: 100,
  listings: 200,
  panels: 10,
} as const;

/** All keys of an account together have this multiple of the plan's rate. */
export const accountRateFactor = 5;
