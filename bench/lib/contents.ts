import { z } from 'zod';
import type { Bench, Tenant } from './environment.ts';

const created = z.object({ data: z.object({ id: z.string() }) });

const create = async (bench: Bench, tenant: Tenant, path: string, body: object) => {
  const answer = await fetch(`${bench.service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${await answer.text()}`);
  return created.parse(await answer.json()).data.id;
};

export const createBot = (bench: Bench, tenant: Tenant, clientId: number): Promise<string> =>
  create(bench, tenant, '/bots', {
    botToken: `token-${clientId}`,
    clientId: String(clientId),
    clientSecret: `secret-${clientId}`,
    publicKey: 'ab12',
    redirectUri: 'https://example.test/callback',
    name: `Bot ${clientId}`,
  });

export const createServer = (
  bench: Bench,
  tenant: Tenant,
  customBotId: string,
  guildId: number | string,
): Promise<string> =>
  create(bench, tenant, '/servers', {
    platformGuildId: String(guildId),
    customBotId,
    name: `Community ${guildId}`,
    verifiedRoleId: '175928847299117063',
  });
