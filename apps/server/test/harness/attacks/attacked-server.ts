import { z } from 'zod';
import { timeOfEntry } from '../../../src/platform/audit-log.ts';
import { auditLogEntry } from '../../../src/platform/shapes/audit-log.ts';
import { auditEntryOf } from '../../../src/platform/translate/audit-log.ts';
import type { OwnedGuild, startBackupFixture } from '../backups/fixture.ts';
import { storeAct, storeIncident } from '../protection.ts';
import { randomPlatformId } from '../service.ts';

type Fixture = Awaited<ReturnType<typeof startBackupFixture>>;

const auditLog = z.object({ audit_log_entries: z.array(auditLogEntry) });

const timeOf = ({ entryId }: { entryId: string }) => new Date(timeOfEntry(entryId));

/** Attacks by the platform's own calls, and the incidents that protection would have made of them. */
export const createAttacks = (
  simulator: Fixture['simulator'],
  service: Pick<Fixture['service'], 'db'>,
) => {
  /** Somebody who calls the platform with a token of their own. */
  const newPerson = () => {
    const id = randomPlatformId();
    const authorization = `Bot ${btoa(id)}.token`;
    const call = async (method: string, path: string, body?: object) => {
      const reply = await fetch(`${simulator.apiUrl}${path}`, {
        ...{ method, headers: { authorization, 'content-type': 'application/json' } },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
      return reply.status === 204 ? undefined : reply.json();
    };
    return { id, call };
  };

  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the simulator shows
  const guildOf = ({ guildId }: OwnedGuild): Promise<any> =>
    simulator.control('GET', `/guilds/${guildId}`);

  /** The incident as protection would have stored it, from what the audit log says. */
  const storeAttack = async (
    server: OwnedGuild,
    reader: ReturnType<typeof newPerson>,
    attackerId: string,
    { isHeardBefore = true } = {},
  ) => {
    const { guildId, serverId, tenant } = server;
    const owner = { db: service.db, accountId: tenant.accountId };
    const executor = { platformId: attackerId };
    const log = await reader.call('GET', `/guilds/${guildId}/audit-logs?limit=100`);
    const entries = auditLog
      .parse(log)
      .audit_log_entries.toReversed()
      .map((one) => auditEntryOf(guildId, one));
    const first = entries.find(({ executorId }) => executorId === attackerId);
    const incident = first && { firstActAt: timeOf(first) };
    const { id } = await storeIncident(owner, serverId, { executor, isEmpty: true, incident });
    // What is no part of an attack is kept for two hours, and heard only where protection is on.
    const heard = isHeardBefore ? entries : entries.slice(first && entries.indexOf(first));
    for (const entry of heard) {
      const { entryId, action, targetId, changes, executorId, options } = entry;
      const valuesOf = (half: 'before' | 'after') =>
        Object.fromEntries(changes.map((change) => [change.key, change[half]]));
      if (executorId === null) continue;
      await storeAct(owner, {
        ...{ serverId, guildId, entryId, action, targetId, executorId, options, kind: 'other' },
        ...{ before: valuesOf('before'), after: valuesOf('after') },
        at: timeOf(entry),
        incidentId: executorId === attackerId ? id : null,
      });
    }
    return { id, repair: `/api/v1/incidents/${id}/repair` };
  };
  return { newPerson, guildOf, storeAttack };
};
