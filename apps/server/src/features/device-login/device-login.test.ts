import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { accountLimits, endpoints, scopes, scopeTiers } from '@holdfast/contract';
import { auditOf, callWithKey } from '../../../test/harness/api-calls.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { beginLogin, openProgram } from '../../../test/harness/device-login.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import { deleteExpiredAuthorizations } from './queries.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => service.stop());

const path = '/device-authorization';
const sql = () => service.db.$client;

/** An owner at the dashboard, and a program that has asked. */
const meet = async (form: Record<string, string> = {}, tenant?: OwnTenant) => {
  const owner = tenant ?? (await service.newTenant());
  const page = await openDashboard(service, owner);
  const program = await beginLogin(service, form);
  return {
    owner,
    page,
    program,
    find: (code = program.userCode) => page.call('GET', `${path}?code=${encodeURIComponent(code)}`),
    approve: (body: object = {}) =>
      page.call('POST', `${path}/approve`, {
        ...{ code: program.userCode, scopes: ['servers:read'] },
        ...body,
      }),
    deny: () => page.call('POST', `${path}/deny`, { code: program.userCode }),
  };
};

const age = (userCode: string, seconds: number) =>
  sql()`update device_authorizations set expires_at = expires_at - make_interval(secs => ${seconds}),
    last_polled_at = last_polled_at - make_interval(secs => ${seconds})
    where user_code = ${userCode.replace('-', '')}`;

const keysOf = async (owner: OwnTenant) =>
  (await owner.call('GET', '/api/v1/keys')).body.data.filter(
    ({ id }: { id: string }) => id !== owner.keyId,
  );

describe('a program', () => {
  test('gets two codes and the address of the page', async () => {
    const program = openProgram(service);
    const { status, body, headers } = await program.ask();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'http://localhost:3000/dashboard/device',
      verification_uri_complete: `http://localhost:3000/dashboard/device?code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const [stored] = await sql()`select d::text as row from device_authorizations d
      where user_code = ${body.user_code.replace('-', '')}`;
    expect(stored.row).not.toContain(body.device_code);
  });

  test('gets the key that its owner approved, with its name, scopes and end', async () => {
    const { owner, program, find, approve } = await meet({
      device_name: 'quay-laptop',
      scope: 'servers:read  backups:read servers:read',
    });
    const shown = (await find()).body.data;
    expect(shown).toMatchObject({
      ...{ userCode: program.userCode, machine: 'quay-laptop', address: program.address },
      ...{ keyName: 'CLI on quay-laptop', scopes: ['servers:read', 'backups:read'] },
    });
    expect((await program.poll()).body.error).toBe('authorization_pending');
    const approved = await approve({ scopes: ['backups:read'], days: 30 });
    expect(approved.body.data).toEqual({ keyName: 'CLI on quay-laptop' });
    expect((await auditOf(owner)).data[0]).toMatchObject({
      action: 'deviceLogin.approve',
      changes: { keyName: 'CLI on quay-laptop', scopes: ['backups:read'], days: 30 },
    });
    const { status, body, headers } = await program.poll();
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^holdfast_\w{44}$/),
      token_type: 'Bearer',
      expires_in: 30 * 24 * 60 * 60,
      scope: 'backups:read',
    });
    const [key] = await keysOf(owner);
    expect(key).toMatchObject({ name: 'CLI on quay-laptop', scopes: ['backups:read'] });
    const leftMs = Date.parse(key.expiresAt) - Date.now();
    expect(leftMs / 1000).toBeWithin(body.expires_in - 60, body.expires_in + 1);
    const refused = await callWithKey(service, body.access_token);
    expect(refused.body.yourScopes).toEqual(['backups:read']);
    const [entry] = (await owner.call('GET', '/api/v1/audit')).body.data;
    expect(entry).toMatchObject({
      ...{ action: 'key.create', actor: { type: 'USER', id: owner.accountId } },
      ...{ subject: { type: 'key', id: key.id }, changes: { name: 'CLI on quay-laptop' } },
    });
    const rows = await sql()`select 1 from device_authorizations d
      where strpos(d::text, ${body.access_token.slice(9, 40)}) > 0`;
    expect(rows).toHaveLength(0);
  });

  test('asks for every scope that opens something, unless it names some, and not for the gravest', async () => {
    const { find } = await meet();
    const opening = new Set<string>(Object.values(endpoints).map(({ scope }) => scope));
    const gravest = ['account:delete', 'marketplace:payout', 'api-keys:write'];
    expect(gravest.filter((scope) => !opening.has(scope))).toEqual([]);
    const wanted = scopes.filter((scope) => opening.has(scope) && !gravest.includes(scope));
    expect((await find()).body.data.scopes).toEqual(wanted);
    const { find: findNamed } = await meet({ scope: gravest.join(' ') });
    expect((await findNamed()).body.data.scopes).toEqual(gravest);
  });

  test('that polls too often is told to slow down, and waits longer from then on', async () => {
    const { program, approve } = await meet();
    const errors: string[] = [];
    const poll = async () => errors.push((await program.poll()).body.error ?? 'a key');
    await poll();
    await poll();
    await age(program.userCode, 6);
    await poll();
    await age(program.userCode, 16);
    await poll();
    expect(errors).toEqual([
      ...['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending'],
    ]);
    await approve();
    await poll();
    expect(errors.at(-1)).toBe('a key');
  });

  test('gets one key for many polls at once, and none for a later one', async () => {
    const { owner, program, approve } = await meet();
    await approve();
    const replies = await Promise.all(Array.from({ length: 12 }, () => program.poll()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = replies.filter(({ status }) => status !== 200).map(({ body }) => body.error);
    expect(new Set(others)).toEqual(new Set(['invalid_grant']));
    expect((await program.poll()).body.error).toBe('invalid_grant');
    expect(await keysOf(owner)).toHaveLength(1);
  });
});

describe('no key is made', () => {
  const expectDenied = async (
    { program, owner }: Awaited<ReturnType<typeof meet>>,
    sentence: string,
  ) => {
    for (let polled = 0; polled < 2; polled++) {
      const { status, body } = await program.poll();
      expect([status, body.error]).toEqual([400, 'access_denied']);
      expect(body.error_description).toContain(sentence);
    }
    const rows = await sql()`select name from api_keys where account_id = ${owner.accountId}
      and name like 'CLI%'`;
    expect(rows).toHaveLength(0);
  };

  test('where the owner denied it', async () => {
    const met = await meet();
    expect((await met.deny()).body.data).toEqual({ denied: true });
    expect((await auditOf(met.owner)).data[0]).toMatchObject({ action: 'deviceLogin.deny' });
    await expectDenied(met, 'denied');
    expect((await met.approve()).status).toBe(409);
  });

  test('where who approved has signed out everywhere since', async () => {
    const met = await meet();
    await met.approve();
    await met.page.call('DELETE', '/sessions');
    await expectDenied(met, 'signed out');
  });

  test('where the account was deleted since; and nothing names it any more', async () => {
    const met = await meet();
    await met.approve();
    const { username } = (await met.page.call('GET', '/account')).body.data;
    expect((await met.page.call('DELETE', '/account', { confirm: username })).status).toBe(200);
    await expectDenied(met, 'signed out');
    const rows = await sql()`select from device_authorizations
      where account_id = ${met.owner.accountId}`;
    expect(rows).toHaveLength(0);
  });

  test('beyond the keys that an account may have, also where the last one came in between', async () => {
    const [met, late] = [await meet(), await meet()];
    const fill = ({ accountId }: OwnTenant) => sql()`
      insert into api_keys (id, account_id, name, scopes, hash, last_four)
      select gen_random_uuid(), ${accountId}, 'filling', '{}', gen_random_uuid()::text, 'last'
      from generate_series(2, ${accountLimits.liveKeys})`;
    await met.approve();
    await fill(met.owner);
    await expectDenied(met, 'revoke one first');
    await fill(late.owner);
    const refused = await late.approve();
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('revoke')]);
  });

  test('after ten minutes', async () => {
    const { program, find, approve } = await meet();
    await age(program.userCode, 600);
    expect((await program.poll()).body.error).toBe('expired_token');
    for (const { status, body } of [await find(), await approve()]) {
      expect([status, body.error]).toEqual([
        409,
        'This code has expired: begin again in your program',
      ]);
    }
    await deleteExpiredAuthorizations(service.db);
    expect((await program.poll()).body.error).toBe('expired_token');
    await age(program.userCode, 600);
    await deleteExpiredAuthorizations(service.db);
    expect((await program.poll()).body.error).toBe('invalid_grant');
  });
});

test('a change of plan in between changes nothing', async () => {
  const { owner, program, approve } = await meet();
  await approve();
  await sql()`update accounts set plan = 'FREE' where id = ${owner.accountId}`;
  expect((await program.poll()).status).toBe(200);
});

describe('the page', () => {
  test('takes the code as people type it', async () => {
    const { program, find } = await meet();
    const { userCode } = program;
    const bare = userCode.replace('-', '');
    const typings = [bare, bare.toLowerCase(), ` ${userCode} `, userCode.replace('-', '\u2013')];
    const wide = bare.replace(/./g, (letter) =>
      String.fromCodePoint(letter.charCodeAt(0) + 0xfee0),
    );
    const marked = [userCode.replace('-', '_'), userCode.replace('-', '\u00ad'), `"${userCode}".`];
    for (const typed of [...typings, [...bare].join(' '), [...bare].join('.'), wide, ...marked]) {
      expect((await find(typed)).body.data?.userCode).toBe(userCode);
    }
  });

  test('grants no more than was asked for, and less where the owner wishes so', async () => {
    const { approve, program } = await meet({ scope: scopeTiers.read.join(' ') });
    for (const beyond of [['*'], ['servers:write'], ['servers:read', 'account:delete']]) {
      const { status, body } = await approve({ scopes: beyond });
      expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, ['scopes']]);
    }
    for (const wrong of [{ scopes: [] }, { days: 8 }, { days: 3650 }, { days: '7' }]) {
      expect((await approve(wrong)).status).toBe(400);
    }
    expect((await approve({ scopes: ['servers:read'] })).status).toBe(200);
    expect((await program.poll()).body.scope).toBe('servers:read');
  });

  test('decides once: neither its owner nor anybody else can do so again', async () => {
    const { program, approve, deny, find, owner } = await meet();
    const stranger = await openDashboard(service, await service.newTenant());
    const body = { code: program.userCode, scopes: ['servers:read'] };
    const both = await Promise.all([approve(), stranger.call('POST', `${path}/approve`, body)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    for (const again of [await approve(), await deny(), await find()]) {
      expect([again.status, again.body.error]).toEqual([
        409,
        'This code was used already: if your program got no key, begin again there',
      ]);
    }
    expect((await program.poll()).status).toBe(200);
    expect(await keysOf(owner)).toHaveLength(both[0]?.status === 200 ? 1 : 0);
  });

  test('lets an account guess a few times, and no longer', async () => {
    const { find, approve } = await meet();
    const unknown = await find('BBBB-BBBB');
    expect([unknown.status, unknown.body.error]).toEqual([404, 'Code not found']);
    const guesses = await Promise.all(Array.from({ length: 40 }, () => find('AEIO-U123')));
    expect(guesses.filter(({ status }) => status === 404)).toHaveLength(19);
    const late = guesses.find(({ status }) => status === 429);
    expect(Number(late?.headers.get('retry-after'))).toBeWithin(1, 901);
    expect([(await find()).status, (await approve()).status]).toEqual([429, 429]);
    const { find: ofAnother } = await meet();
    expect((await ofAnother()).status).toBe(200);
  });
});
