import type { FastifySchema } from 'fastify';

/* The answers as Fastify's serializer needs them: fields in the order of the contract. */

const text = { type: 'string' };
const textOrNull = { type: 'string', nullable: true };
const time = { type: 'string', format: 'date-time' };
const timeOrNull = { ...time, nullable: true };
const int = { type: 'integer' };
const flag = { type: 'boolean' };
const object = (properties: object) => ({ type: 'object', properties });
const list = (items: object) => ({ type: 'array', items });
const answer = (properties: object) => ({ 200: object(properties) });

const limits = object({
  ...{ maxServers: int, maxBots: int, maxBackups: int, maxStorageBytes: int, pullCooldownMs: int },
  ...{ marketplaceFeePercent: { type: 'number' }, apiRatePerTenSeconds: int },
  ...{ hasVpnDetection: flag, hasAltDetection: flag, hasFirewall: flag, hasAutoRepair: flag },
});

const subscription = object({
  ...{ plan: text, status: text, currentPeriodEnd: time, isTrial: flag },
  ...{ trialEndsAt: timeOrNull, cancelledAt: timeOrNull },
});

const account = object({
  ...{ id: text, platformId: text, username: text, displayName: text, avatar: text, plan: text },
  ...{ mfaEnabled: flag, createdAt: time },
  _count: object({ servers: int, customBots: int, teams: int }),
  ...{ subscription, limits },
});

const server = object({
  ...{ id: text, platformGuildId: text, name: text, icon: text, memberCount: int },
  ...{ verifiedRoleId: textOrNull, logChannelId: textOrNull, captchaType: text },
  ...{ vpnBlockEnabled: flag, altDetectEnabled: flag, firewallEnabled: flag },
  ...{ antiNukeEnabled: flag, antiRaidEnabled: flag, health: text },
  healthReasons: list(object({ code: text, detail: text })),
  ...{ lastGoodBackupId: textOrNull, createdAt: time, updatedAt: time },
});

const pagination = object({ page: int, limit: int, total: int, totalPages: int });

export const accountSchema: FastifySchema = { response: answer({ data: account }) };

export const serversSchema: FastifySchema = {
  querystring: object({
    page: { type: 'integer', minimum: 1, default: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  }),
  response: answer({ data: list(server), pagination }),
};
