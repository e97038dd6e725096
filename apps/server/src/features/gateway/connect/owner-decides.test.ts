import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type GatewayFixture,
  startGatewayFixture,
  type TestBot,
} from '../../../../test/harness/gateway.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture();
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const becomes = (bot: TestBot, connection: string) =>
  eventually(10_000, async () => {
    const record = await fixture.record(bot);
    expect(record.connection).toBe(connection);
    return record;
  });

const newConnectedBot = async (changes: object = {}) => {
  const bot = await fixture.newBot(undefined, changes);
  await becomes(bot, 'CONNECTED');
  return bot;
};

const setOnPlatform = ({ platformId }: TestBot, settings: object) =>
  fixture.simulator.control('PUT', `/bots/${platformId}`, settings);

const actionsOf = async ({ owner }: TestBot) =>
  (await auditOf(owner)).data.map(({ action }: { action: string }) => action);

const alertsOf = async ({ owner }: TestBot) =>
  (await owner.call('GET', '/api/v1/alerts')).body.data;

describe('status and activity', () => {
  test('are shown from the first moment on', async () => {
    const bot = await newConnectedBot();
    expect((await fixture.atGateway(bot)).presence).toMatchObject({ status: 'online' });
  });

  test('are shown as the owner changes them, and again after a resume', async () => {
    const bot = await newConnectedBot();
    const body = { status: 'DND', activityType: 'LISTENING', activityText: 'the sea' };
    expect((await fixture.change(bot, body)).status).toBe(200);
    const shown = { status: 'dnd', activities: [{ type: 2, name: 'the sea' }] };
    await eventually(10_000, async () =>
      expect((await fixture.atGateway(bot)).presence).toMatchObject(shown),
    );
    await fixture.act(bot, { action: 'cut' });
    await eventually(10_000, async () => expect((await fixture.atGateway(bot)).resumes).toBe(1));
    await eventually(10_000, async () =>
      expect((await fixture.atGateway(bot)).presence).toMatchObject(shown),
    );
    expect((await fixture.atGateway(bot)).identifies).toBe(1);
  });
});

describe('a bot that is switched off', () => {
  test('ends its session, and begins another when it is switched on', async () => {
    const bot = await newConnectedBot();
    await fixture.change(bot, { isActive: false });
    expect((await fixture.record(bot)).connection).toBe('OFF');
    await eventually(10_000, async () => {
      const { sessions, closes } = await fixture.atGateway(bot);
      expect(sessions).toEqual([]);
      expect(closes).toEqual({ 1000: 1 });
    });
    await fixture.change(bot, { isActive: true });
    // The record may still show the connection that has just been closed.
    await eventually(10_000, async () =>
      expect(await fixture.atGateway(bot)).toMatchObject({ identifies: 2, resumes: 0 }),
    );
    await becomes(bot, 'CONNECTED');
  });

  test('and deleted leaves no session behind', async () => {
    const bot = await newConnectedBot();
    expect((await bot.owner.call('DELETE', `/api/v1/bots/${bot.id}`)).status).toBe(200);
    await eventually(10_000, async () => {
      const { sessions, closes } = await fixture.atGateway(bot);
      expect(sessions).toEqual([]);
      expect(closes).toEqual({ 1000: 1 });
    });
  });
});

describe('a bot whose token is refused', () => {
  test('is switched off at once, says so, and is not tried again', async () => {
    const bot = await newConnectedBot();
    await setOnPlatform(bot, { isDead: true });
    const { isActive, trouble } = await becomes(bot, 'REFUSED');
    expect(isActive).toBe(false);
    expect(trouble).toContain('token');
    const { identifies, resumes } = await fixture.atGateway(bot);
    await Bun.sleep(700);
    expect(await fixture.atGateway(bot)).toMatchObject({ identifies, resumes, sessions: [] });
    expect((await actionsOf(bot)).filter((one: string) => one === 'bot.deactivate')).toHaveLength(
      1,
    );
    expect(await alertsOf(bot)).toMatchObject([
      { kind: 'BOT_REFUSED', detail: expect.stringContaining('token') },
    ]);
  });

  test('is connected again with a new token', async () => {
    const bot = await newConnectedBot();
    await setOnPlatform(bot, { isDead: true });
    await becomes(bot, 'REFUSED');
    const botToken = `${btoa(bot.platformId)}.another`;
    await setOnPlatform(bot, { isDead: false, botToken });
    expect((await fixture.change(bot, { botToken })).status).toBe(200);
    await becomes(bot, 'CONNECTED');
  });
});

describe('a bot without privileged intents', () => {
  test('is connected without them, and its record names what is missing', async () => {
    const bot = await fixture.newBot();
    await setOnPlatform(bot, { intents: [] });
    const { intents } = await becomes(bot, 'CONNECTED');
    expect(intents).toEqual({ granted: [], missing: ['GUILD_MEMBERS', 'MESSAGE_CONTENT'] });
    const [session] = (await fixture.atGateway(bot)).sessions;
    expect(session.intents).toBe((1 << 0) | (1 << 2));
  });

  test('is refused where the platform disagrees, until its owner switches it on again', async () => {
    const bot = await newConnectedBot();
    await fixture.act(bot, { action: 'close', code: 4014 });
    const { isActive, trouble } = await becomes(bot, 'REFUSED');
    expect(isActive).toBe(true);
    expect(trouble).toContain('privileged intents');
    const before = await fixture.atGateway(bot);
    await Bun.sleep(700);
    expect(await fixture.atGateway(bot)).toMatchObject({
      ...{ identifies: before.identifies, resumes: before.resumes },
    });
    expect((await fixture.change(bot, { name: 'Renamed' })).body.data.connection).toBe('REFUSED');
    expect((await fixture.change(bot, { isActive: true })).body.data).toMatchObject({
      ...{ connection: 'CONNECTING', trouble: null },
    });
    await becomes(bot, 'CONNECTED');
    expect(await actionsOf(bot)).toContain('bot.connection_refused');
    expect(await alertsOf(bot)).toMatchObject([
      { kind: 'BOT_REFUSED', detail: expect.stringContaining('privileged intents') },
    ]);
  });
});

test('a refused bot whose token cannot be read any more holds up no other bot', async () => {
  const bot = await newConnectedBot();
  await fixture.service.db.$client`
    update bots set bot_token = 's1.nonsense', updated_at = now() - interval '1 hour'
    where id = ${bot.id}`;
  await fixture.act(bot, { action: 'close', code: 4004 });
  await eventually(10_000, async () => expect((await fixture.atGateway(bot)).sessions).toEqual([]));
  // From now on the round would let go of it.
  await fixture.service.db.$client`update bots set updated_at = now() where id = ${bot.id}`;
  await newConnectedBot();
});
