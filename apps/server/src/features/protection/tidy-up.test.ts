import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { newId } from '../../kernel/ids.ts';
import { tidyUpJob } from './jobs.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

let tenant: OwnTenant;
beforeEach(async () => {
  tenant = await service.newTenant();
});

const tidyUp = () =>
  tidyUpJob({ ...service, clock: { now: () => new Date() } }).run({}, AbortSignal.timeout(30_000));

const raw = (text: string) => service.db.$client.unsafe(text);

/** A server whose channels were moved so many hours ago, with its last good backup of then. */
const movedServer = async (movedHoursAgo: number[], backedUpHoursAgo?: number) => {
  const serverId = await createServer(tenant);
  const { accountId } = tenant;
  await raw(`
    insert into guild_moves (server_id, account_id, type, thing_id, position, at)
    select '${serverId}', '${accountId}', 'channel', hours::text, 1, now() - make_interval(hours => hours)
    from unnest('{${movedHoursAgo}}'::int[]) as hours`);
  if (backedUpHoursAgo === undefined) return serverId;
  const backupId = newId();
  await raw(`
    insert into backups (id, account_id, server_id, name, kind, status, components, messages_per_channel, created_at)
    values ('${backupId}', '${accountId}', '${serverId}', 'x', 'MANUAL', 'completed', '[]', 0,
      now() - make_interval(hours => ${backedUpHoursAgo}));
    update servers set last_good_backup_id = '${backupId}' where id = '${serverId}'`);
  return serverId;
};

/** How many hours ago what is still known was moved. */
const known = async (serverId: string): Promise<number[]> => {
  const rows = await raw(`select thing_id from guild_moves where server_id = '${serverId}'`);
  return rows
    .map(({ thing_id }: { thing_id: string }) => Number(thing_id))
    .toSorted((one: number, other: number) => one - other);
};

describe('moves of channels', () => {
  test('are forgotten once a good backup is younger, and kept for two hours in any case', async () => {
    const serverId = await movedServer([1, 5, 15, 40], 10);
    const fresh = await movedServer([1, 5], 0);
    await tidyUp();
    expect(await known(serverId)).toEqual([1, 5]);
    expect(await known(fresh)).toEqual([1]);
  });

  test('are kept while there is no good backup, for as long as an attack may be repaired', async () => {
    const serverId = await movedServer([5, 30 * 24, 32 * 24]);
    await tidyUp();
    expect(await known(serverId)).toEqual([5, 30 * 24]);
  });

  test('are kept while there is an attack that may be repaired, and forgotten after it', async () => {
    const serverId = await movedServer([5, 15], 10);
    await raw(`
      insert into incidents (id, account_id, server_id, guild_id, kind, trigger, first_act_at, detected_at)
      values (gen_random_uuid(), '${tenant.accountId}', '${serverId}', '1', 'NUKE', '{}', now(), now())`);
    await tidyUp();
    expect(await known(serverId)).toEqual([5, 15]);
    await raw(
      `update incidents set ended_at = now(), status = 'repaired' where server_id = '${serverId}'`,
    );
    await tidyUp();
    expect(await known(serverId)).toEqual([5]);
  });

  test('of more servers than a run looks at are forgotten in the next one', async () => {
    const one = await movedServer([15], 10);
    await raw(`
      with added as (
        insert into servers (id, account_id, custom_bot_id, platform_guild_id, name, last_good_backup_id)
        select gen_random_uuid(), account_id, custom_bot_id, gen_random_uuid()::text, 'x', last_good_backup_id
        from servers, generate_series(1, 600) where id = '${one}'
        returning id, account_id
      )
      insert into guild_moves (server_id, account_id, type, thing_id, position, at)
      select id, account_id, 'channel', '1', 1, now() - interval '15 hours' from added`);
    const left = async () =>
      Number(
        (
          await raw(
            `select count(*) as n from guild_moves where account_id = '${tenant.accountId}'`,
          )
        )[0].n,
      );
    await tidyUp();
    expect(await left()).toBeWithin(1, 300);
    await tidyUp();
    expect(await left()).toBe(0);
  });
});
