import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectBelow } from '../../test/harness/bounds.ts';
import {
  botTokenOf,
  freshId,
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../test/harness/simulator/platform.ts';
import { Secret } from '../kernel/secret.ts';
import { PlatformFailure } from './failures.ts';

let simulated: SimulatedPlatform;
let strict: SimulatedPlatform;

beforeAll(async () => {
  simulated = await startSimulatedPlatform();
  strict = await startSimulatedPlatform({ isOpen: false });
});
afterAll(async () => {
  await simulated.stop();
  await strict.stop();
});

type Fixture = { on: SimulatedPlatform; applicationId: string; guildId: string; userId: string };

const newFixture = (on = simulated): Fixture => ({
  on,
  applicationId: freshId(),
  guildId: freshId(),
  userId: freshId(),
});

const tokenFor = async ({ on, applicationId, userId }: Fixture): Promise<Secret> => {
  const request = { clientId: applicationId, userId, scopes: ['identify', 'guilds.join'] };
  const pair: { access_token: string } = await on.control('POST', '/tokens', request);
  return new Secret(pair.access_token);
};

const add = async (fixture: Fixture) => {
  const bot = fixture.on.platform.bot(botTokenOf(fixture.applicationId));
  return bot.guild(fixture.guildId).addMember(fixture.userId, () => tokenFor(fixture));
};

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!(error instanceof PlatformFailure)) throw error;
    return `${error.kind} ${error.status}/${error.code}`;
  });

const setUser = (state: object) => (fixture: Fixture) =>
  fixture.on.control('PUT', `/users/${fixture.userId}`, state);
const setGuild =
  (state: (fixture: Fixture) => object) =>
  (fixture: Fixture): Promise<unknown> =>
    fixture.on.control('PUT', `/guilds/${fixture.guildId}`, state(fixture));

describe('bringing a member in', () => {
  test.each<[string, (fixture: Fixture) => Promise<unknown>, string]>([
    ['who is new joins', setGuild(() => ({})), 'joined'],
    [
      'who is there already stays',
      setGuild(({ userId }) => ({ members: [{ user: { id: userId } }] })),
      'alreadyMember',
    ],
    [
      'fails for a token that was revoked',
      setUser({ tokenState: 'revoked' }),
      'memberTokenInvalid 403/50025',
    ],
    [
      'fails for one who is banned',
      setGuild(({ userId }) => ({ bans: [{ user: { id: userId } }] })),
      'memberBanned 403/40007',
    ],
    [
      'fails for one who is in too many guilds',
      setUser({ atGuildCap: true }),
      'memberAtGuildCap 400/30001',
    ],
    [
      'fails for a guild that is full',
      setGuild(() => ({ guild: { max_members: 1 } })),
      'guildFull 400/30019',
    ],
    [
      'fails for a bot that may not invite',
      setGuild(({ guildId }) => ({
        roles: [{ id: guildId, permissions: '1024' }],
        botAccess: { permissions: '1024' },
      })),
      'missingPermission 403/50013',
    ],
    [
      'fails for a bot that is not in the guild',
      setGuild(() => ({ botAccess: { isMember: false } })),
      'noAccess 403/50001',
    ],
    ['fails for a person nobody knows', setUser({ unknown: true }), 'unknownUser 404/10013'],
  ])('%s', async (_, prepare, outcome) => {
    const fixture = newFixture();
    await prepare(fixture);
    expect(await outcomeOf(add(fixture))).toBe(outcome);
  });

  test('fails for an unknown guild', async () => {
    const fixture = newFixture(strict);
    const botToken = botTokenOf(fixture.applicationId).reveal();
    await strict.control('PUT', `/bots/${fixture.applicationId}`, { botToken });
    await setUser({ username: 'known' })(fixture);
    expect(await outcomeOf(add(fixture))).toBe('unknownGuild 404/10004');
  });

  test('fails for a bot whose token is dead', async () => {
    const fixture = newFixture();
    await fixture.on.control('PUT', `/bots/${fixture.applicationId}`, { isDead: true });
    expect(await outcomeOf(add(fixture))).toBe('botTokenDead 401/0');
  });

  test('never shows the member’s token in what it fails with', async () => {
    const fixture = newFixture();
    const accessToken = new Secret(`secret${'x'.repeat(30)}`);
    await simulated.control('POST', '/faults', {
      match: { method: 'PUT', route: '/guilds/:id/members/:id', guildId: fixture.guildId },
      when: 'before',
      action: 'status',
      status: 400,
      body: { code: 50035, message: `Value "${accessToken.reveal()}" is not right` },
    });
    const bot = simulated.platform.bot(botTokenOf(fixture.applicationId));
    const failure: unknown = await bot
      .guild(fixture.guildId)
      .addMember(fixture.userId, async () => accessToken)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      kind: 'refused',
      code: 50035,
      detail: 'Value "…" is not right',
    });
    expect(Bun.inspect(failure, { depth: 10 })).not.toContain('xxxx');
  });
});

describe('what is not there, or does not fit, has its own name', () => {
  const guildOf = ({ on, applicationId, guildId }: Fixture) =>
    on.platform.bot(botTokenOf(applicationId)).guild(guildId);
  const plainRole = {
    name: 'one more',
    colors: { primary: 0, secondary: null, tertiary: null },
    isHoisted: false,
    isMentionable: false,
    permissions: '0',
    unicodeEmoji: null,
  };
  type Verb = (guild: ReturnType<typeof guildOf>) => Promise<unknown>;

  test.each<[string, Verb]>([
    ['unknownRole 404/10011', (guild) => guild.deleteRole('1')],
    ['unknownChannel 404/10003', (guild) => guild.editChannel('1', { name: 'x' })],
    ['unknownMember 404/10007', (guild) => guild.readMember('1')],
    ['unknownEmoji 404/10014', (guild) => guild.deleteEmoji('1')],
    ['unknownSticker 404/10060', (guild) => guild.deleteSticker('1')],
    ['unknownBan 404/10026', (guild) => guild.unban('1')],
    ['refused 400/50035', (guild) => guild.editSettings({ name: 'x' })],
  ])('%s', async (outcome, verb) => {
    expect(await outcomeOf(verb(guildOf(newFixture())))).toBe(outcome);
  });

  test('a guild that has all the roles it can have', async () => {
    const fixture = newFixture();
    const roles = Array.from({ length: 260 }, (_, index) => ({ name: `r${index}` }));
    await setGuild(() => ({ roles }))(fixture);
    expect(await outcomeOf(guildOf(fixture).createRole(plainRole))).toBe('limitReached 400/30005');
  });

  test('a role whose answer was lost: it is not made a second time', async () => {
    const fixture = newFixture();
    await simulated.control('POST', '/faults', {
      match: { method: 'POST', route: '/guilds/:id/roles', guildId: fixture.guildId },
      when: 'afterApply',
      action: 'reset',
    });
    const lost = outcomeOf(guildOf(fixture).createRole(plainRole));
    expect(await lost).toBe('unreachable undefined/undefined');
    await simulated.control('DELETE', '/faults');
    const { roles } = await guildOf(fixture).read();
    expect(roles.filter(({ name }) => name === plainRole.name)).toHaveLength(1);
  });

  test('an id that is none never reaches the platform', async () => {
    const fixture = newFixture();
    const before = (await simulated.readLog()).length;
    const bot = simulated.platform.bot(botTokenOf(fixture.applicationId));
    for (const id of ['../users/@me', '1/2', '1?x=1', '', '1 ']) {
      expect(bot.guild(id).read()).rejects.toThrow('Not an id');
      expect(bot.guild('1').deleteRole(id)).rejects.toThrow('Not an id');
    }
    expect((await simulated.readLog()).length).toBe(before);
  });
});

describe('a bot whose token is dead', () => {
  const callsBy = async (applicationId: string) =>
    (await simulated.readLog()).filter(({ path }) => path.includes(applicationId)).length;

  test('makes no further call, from any caller', async () => {
    const { applicationId } = newFixture();
    // The guild has the bot's own id, by which its calls are found in the log.
    const readGuild = () =>
      simulated.platform.bot(botTokenOf(applicationId)).guild(applicationId).read();
    await simulated.control('PUT', `/bots/${applicationId}`, { isDead: true });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(readGuild())));
    expect(new Set(outcomes.map((outcome) => String(outcome).split(' ')[0]))).toEqual(
      new Set(['botTokenDead']),
    );
    expect(await callsBy(applicationId)).toBe(1);
    await outcomeOf(readGuild());
    expect(await callsBy(applicationId)).toBe(1);
  });

  test('is usable again when a check finds its token valid, and not before', async () => {
    const { applicationId } = newFixture();
    const token = botTokenOf(applicationId);
    const readGuild = () => simulated.platform.bot(token).guild(applicationId).read();
    const check = () => simulated.platform.checkToken(token, { timeoutMs: 5000 });
    await simulated.control('PUT', `/bots/${applicationId}`, { isDead: true });
    expect(await outcomeOf(check())).toBe('botTokenDead 401/0');
    expect(await outcomeOf(readGuild())).toBe('botTokenDead 401/undefined');
    await simulated.control('PUT', `/bots/${applicationId}`, { isDead: false });
    expect(await outcomeOf(readGuild())).toBe('botTokenDead 401/undefined');
    expect(await check()).toMatchObject({ userId: applicationId });
    expect(await readGuild()).toMatchObject({ memberCount: expect.any(Number) });
  });

  test('is checked by one attempt, within the given time', async () => {
    const { applicationId } = newFixture();
    const token = botTokenOf(applicationId);
    const match = { method: 'GET', route: '/users/@me' };
    await simulated.control('POST', '/faults', { match, when: 'before', action: 'hang' });
    const startedAt = performance.now();
    const asked = simulated.platform.checkToken(token, { timeoutMs: 200 });
    expect(await outcomeOf(asked)).toBe('unreachable undefined/undefined');
    expectBelow(performance.now() - startedAt, 4000);
    await simulated.control('DELETE', '/faults');
  });
});

describe("a bot's intents", () => {
  test('are asked for once by all who ask at the same time, and anew by who asks later', async () => {
    const { applicationId } = newFixture();
    const token = botTokenOf(applicationId);
    const setIntents = (intents: string[]) =>
      simulated.control('PUT', `/bots/${applicationId}`, { intents });
    const ask = (signal?: AbortSignal) => simulated.platform.bot(token).readIntents({ signal });
    const questions = async () =>
      (await simulated.readLog()).filter(({ path }) => path.endsWith('/applications/@me')).length;
    await setIntents(['GUILD_MEMBERS']);
    const before = await questions();
    const leaving = new AbortController();
    const left = outcomeOf(ask(leaving.signal));
    const asked = Array.from({ length: 50 }, () => ask());
    leaving.abort();
    expect(await left).toBe('aborted undefined/undefined');
    expect(await Promise.all(asked)).toEqual(asked.map(() => ['GUILD_MEMBERS']));
    expect(await questions()).toBe(before + 1);
    await setIntents([]);
    expect(await ask()).toEqual([]);
  });
});
