import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import fc from 'fast-check';
import {
  countsOf,
  databaseInAuckland,
  insertMembers,
  listMembers,
  newServer,
} from '../../../test/harness/members.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { tries } from '../../../test/harness/tries.ts';
import { members } from './table.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ databaseUrl: await databaseInAuckland() });
});
afterAll(() => service.stop());

test('the daily counts are right after any insert, update and delete', async () => {
  const { $client: client } = service.db;
  const moment = fc
    .integer({ min: 0, max: 5 * 86_400_000 - 1 })
    .map((ms) => new Date(1.77e12 + ms));
  const change = fc.record(
    {
      verifiedAt: moment,
      tokenStatus: fc.constantFrom('VALID', 'EXPIRED', 'REVOKED', 'NONE'),
      consentedAt: fc.option(moment),
      blacklisted: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const some = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
  const step = fc.oneof(
    fc
      .array(change, { minLength: 1, maxLength: 5 })
      .map((rows) => ({ kind: 'insert' as const, rows })),
    fc.tuple(some, change).map(([who, to]) => ({ kind: 'update' as const, who, to })),
    some.map((who) => ({ kind: 'delete' as const, who })),
    some.map((who) => ({ kind: 'move' as const, who })),
  );
  const owner = await service.newTenant();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const places = [await newServer(service, owner), await newServer(service, owner)] as const;
      const ids: string[] = [];
      for (const todo of steps) {
        if (todo.kind === 'insert') {
          for (const { id } of await insertMembers(service.db, places[0], ...todo.rows))
            ids.push(id);
          continue;
        }
        const chosen = inArray(
          members.id,
          todo.who.map((n) => ids[n % ids.length] ?? '').filter(Boolean),
        );
        if (todo.kind === 'delete') await service.db.delete(members).where(chosen);
        if (todo.kind === 'move')
          await service.db.update(members).set({ serverId: places[1].serverId }).where(chosen);
        if (todo.kind === 'update' && Object.keys(todo.to).length > 0)
          await service.db.update(members).set(todo.to).where(chosen);
      }
      for (const { serverId } of places) {
        const real = await client`
          select (verified_at at time zone 'UTC')::date::text as day, count(*)::int as total,
            (count(*) filter (where pullable))::int as pullable
          from members where server_id = ${serverId} group by 1 order by 1`;
        const kept = await client`select day::text, total, pullable from member_counts
          where server_id = ${serverId} and (total, pullable) <> (0, 0) order by 1`;
        expect([...kept]).toEqual([...real]);
      }
    }),
    tries(5),
  );
});

describe('pullable', () => {
  test.each(['TRUE', '1', 'yes', '', 'null'])('is not %j', async (pullable) => {
    const reply = await listMembers(await newServer(service), { pullable });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual(['pullable']);
  });

  test('is a member who consented, has a token that was not revoked, and is not blacklisted', async () => {
    const server = await newServer(service);
    const cases = [null, new Date()].flatMap((consentedAt) =>
      (['VALID', 'EXPIRED', 'REVOKED', 'NONE'] as const).flatMap((tokenStatus) =>
        [false, true].map((blacklisted) => ({ consentedAt, tokenStatus, blacklisted })),
      ),
    );
    const rows = await insertMembers(service.db, server, ...cases);
    for (const row of rows.filter(({ blacklisted }) => blacklisted)) {
      const body = { platformId: row.platformId };
      await server.owner.call('POST', `/api/v1/servers/${server.serverId}/blacklist`, { body });
    }
    const pullable = (await listMembers(server, { pullable: 'true' })).body.data;
    const told = pullable.map((member: { tokenStatus: string; pullable: boolean }) => [
      member.tokenStatus,
      member.pullable,
    ]);
    expect(told.sort()).toEqual([
      ['EXPIRED', true],
      ['VALID', true],
    ]);
    expect((await listMembers(server, { pullable: 'false' })).body.pagination.total).toBe(14);
    expect(await countsOf(server)).toEqual([16, 2]);
  });

  test('ends on all servers of the account that blacklists a member, and comes back after', async () => {
    const here = await newServer(service);
    const [there, foreign] = [await newServer(service, here.owner), await newServer(service)];
    const person = { platformId: randomPlatformId(), tokenStatus: 'VALID' as const };
    const agreed = { ...person, consentedAt: new Date() };
    for (const server of [here, there, foreign]) {
      await insertMembers(service.db, server, agreed, {
        ...agreed,
        platformId: randomPlatformId(),
      });
    }
    const counts = async () => [
      await countsOf(here),
      await countsOf(there),
      await countsOf(foreign),
    ];
    const pullableThere = async () =>
      (await listMembers(there, { search: person.platformId })).body.data[0];
    expect(await counts()).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
    ]);

    const body = { platformId: person.platformId };
    const entry = await here.owner.call('POST', `/api/v1/servers/${here.serverId}/blacklist`, {
      body,
    });
    expect(await counts()).toEqual([
      [2, 1],
      [2, 1],
      [2, 2],
    ]);
    expect((await pullableThere()).pullable).toBe(false);

    await here.owner.call('DELETE', `/api/v1/blacklist?entryId=${entry.body.data.id}`);
    expect(await counts()).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
    expect((await pullableThere()).pullable).toBe(true);
  });
});
