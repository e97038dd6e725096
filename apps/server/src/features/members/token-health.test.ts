import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { insertMembers } from '../../../test/harness/members.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { checkTokensJob, checkTokensOf } from './jobs.ts';
import { areTokensLow } from './rules.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const newPlace = async (members: number) => {
  const owner = await service.newTenant();
  const serverId = await createServer(owner);
  const row = { tokenStatus: 'VALID' as const, consentedAt: new Date() };
  await insertMembers(
    service.db,
    { owner, serverId },
    ...Array.from({ length: members }, () => row),
  );
  return { owner, serverId, accountId: owner.accountId };
};

const setStatus = ({ serverId }: { serverId: string }, revoked: number, others = 'VALID') =>
  service.db.$client`
    update members set token_status = case when place <= ${revoked} then 'REVOKED' else ${others} end
    from (select id, row_number() over (order by id) as place from members
      where server_id = ${serverId}) as placed
    where placed.id = members.id`;

const check = (place: { serverId: string; accountId: string }) =>
  checkTokensOf({ ...service, clock: systemClock }, place);

const alertsOf = async (owner: OwnTenant) => (await owner.call('GET', '/api/v1/alerts')).body.data;

test('tokens that fall raise one alert, although five workers check at once', async () => {
  const place = await newPlace(50);
  await check(place);
  expect(await alertsOf(place.owner)).toEqual([]);
  await setStatus(place, 11);
  await Promise.all(Array.from({ length: 5 }, () => check(place)));
  expect(await alertsOf(place.owner)).toMatchObject([
    {
      ...{ kind: 'TOKENS_FALLING', serverId: place.serverId },
      title: 'Fewer members of Harbour can be brought back',
      detail: expect.stringContaining('11 of 50 members'),
    },
  ]);
});

test('a share that moves around the limit raises no further alert until it has recovered', async () => {
  const place = await newPlace(50);
  for (const revoked of [11, 9, 12, 6, 11, 30]) {
    await setStatus(place, revoked);
    await check(place);
  }
  expect(await alertsOf(place.owner)).toHaveLength(1);
  for (const revoked of [5, 11]) {
    await setStatus(place, revoked);
    await check(place);
  }
  expect(await alertsOf(place.owner)).toHaveLength(2);
});

test('tokens that only expired, while the platform did not answer, raise none', async () => {
  const place = await newPlace(50);
  await setStatus(place, 0, 'EXPIRED');
  await check(place);
  expect(await alertsOf(place.owner)).toEqual([]);
});

test('every server is checked, and a deleted one is left out', async () => {
  const [place, gone] = [await newPlace(12), await newPlace(12)];
  for (const each of [place, gone]) await setStatus(each, 12);
  await gone.owner.call('DELETE', `/api/v1/servers/${gone.serverId}`);
  const job = checkTokensJob({ ...service, clock: systemClock });
  if (job.subjectOf) throw new Error('It needs no lease');
  for (let runs = 0; runs < 2; runs++) await job.run({}, new AbortController().signal);
  await check(gone);
  expect(await alertsOf(place.owner)).toHaveLength(1);
  expect(await alertsOf(gone.owner)).toEqual([]);
});

describe('tokens are low', () => {
  test.each([
    [{ valid: 100, expired: 0, revoked: 0 }, false],
    [{ valid: 0, expired: 0, revoked: 0 }, false],
    [{ valid: 0, expired: 0, revoked: 9 }, false],
    [{ valid: 0, expired: 0, revoked: 10 }, true],
    [{ valid: 80, expired: 0, revoked: 20 }, false],
    [{ valid: 79, expired: 0, revoked: 20 }, true],
    [{ valid: 0, expired: 80, revoked: 20 }, false],
  ])('%j: %p', (tokens, isLow) => {
    expect(areTokensLow(tokens, false)).toBe(isLow);
  });

  test('until nine of ten are good again', () => {
    expect(areTokensLow({ valid: 89, expired: 0, revoked: 11 }, true)).toBe(true);
    expect(areTokensLow({ valid: 90, expired: 0, revoked: 10 }, true)).toBe(false);
    expect(areTokensLow({ valid: 0, expired: 0, revoked: 0 }, true)).toBe(false);
  });
});
