import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import { newServer, type OwnedServer } from '../../../../test/harness/members.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { generateMasterKey, parseKeyRing, SealBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { refreshDue } from '../jobs.ts';
import { findTokens, type TokenOwner } from '../queries.ts';
import { requireRingFitsTokens, rewrapTokens } from './rewrap.ts';
import { openToken } from './sealed.ts';

const masterKeys = generateMasterKey();
let fixture: PeopleFixture;
let server: OwnedServer;
beforeAll(async () => {
  fixture = await startPeopleFixture({ ring: parseKeyRing(masterKeys) });
  server = await newServer(fixture.service);
});
afterAll(() => fixture.stop());

const sql = () => fixture.service.db.$client;
const newMember = async () => (await fixture.addMember(server, randomPlatformId())).owner;
const rowOf = async (owner: TokenOwner) => {
  const row = await findTokens(fixture.service.db, owner);
  if (!row) throw new Error('No tokens');
  return row;
};
const expire = ({ platformId }: TokenOwner) =>
  sql()`update member_tokens set expires_at = now() - interval '1 minute', refresh_at = now()
    where platform_id = ${platformId}`;

describe('sealed tokens', () => {
  test('of two rows or two columns do not open in each other’s place', async () => {
    const [first, second] = [await rowOf(await newMember()), await rowOf(await newMember())];
    const { ring } = fixture.service;
    const swapped = { ...first, accessToken: second.accessToken };
    const crossed = { ...first, accessToken: first.refreshToken };
    const moved = { ...first, accountId: second.id };
    for (const row of [swapped, crossed, moved]) {
      expect(() => openToken(ring, row, 'accessToken')).toThrow(SealBroken);
    }
    expect(openToken(ring, first, 'accessToken')).toBeInstanceOf(Secret);
  });

  test('of a row that does not open are postponed for hours, and the others go on', async () => {
    const [broken, good] = [await newMember(), await newMember()];
    await sql()`update member_tokens set refresh_token = 's1.x.y.z' where platform_id = ${broken.platformId}`;
    await expire(broken);
    await expire(good);
    const tools = { ...fixture.vault, log: fixture.service.log };
    await refreshDue(tools, new AbortController().signal);
    expect((await rowOf(good)).expiresAt.getTime()).toBeGreaterThan(Date.now());
    const [row] =
      await sql()`select refresh_at > now() + interval '5 hours' as later, refreshing_until
      from member_tokens where platform_id = ${broken.platformId}`;
    expect(row).toMatchObject({ later: true, refreshing_until: null });
    await sql()`delete from member_tokens where platform_id = ${broken.platformId}`;
  });

  test('are sealed again under a new master key, and the old one is no longer needed', async () => {
    const { db } = fixture.service;
    const owner = await newMember();
    const before = await rowOf(owner);
    const token = openToken(fixture.service.ring, before, 'refreshToken').reveal();
    const newKey = generateMasterKey();
    const both = parseKeyRing(`${newKey},${masterKeys}`);
    const alone = parseKeyRing(newKey);
    await requireRingFitsTokens(db, both);
    await expect(requireRingFitsTokens(db, alone)).rejects.toThrow('MASTER_KEYS');
    const broken: unknown[] = [];
    const work = {
      signal: new AbortController().signal,
      onBroken: (error: unknown) => broken.push(error),
    };
    const total = (await sql()`select 1 from member_tokens`).length;
    expect(await rewrapTokens(db, both, work)).toBe(total);
    expect(await rewrapTokens(db, both, work)).toBe(0);
    expect(broken).toEqual([]);
    await requireRingFitsTokens(db, alone);
    const after = await rowOf(owner);
    expect(openToken(alone, after, 'refreshToken').reveal()).toBe(token);
    expect([after.generation, after.updatedAt]).toEqual([before.generation, before.updatedAt]);
  });
});
