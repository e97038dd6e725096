import { z } from 'zod';

const logRow = z.object({
  method: z.string(),
  path: z.string(),
  route: z.string().nullable(),
  botId: z.string().nullable(),
  guildId: z.string().nullable(),
  status: z.number().nullable(),
  at: z.coerce.date(),
});
export type LoggedCall = z.output<typeof logRow>;

const limit = z.object({ limit: z.number(), perMs: z.number() });
const limits = z.object({ default: limit, global: limit, routes: z.record(z.string(), limit) });
export type Limits = z.output<typeof limits>;

const botAtGateway = z
  .object({
    botId: z.string(),
    identifies: z.number(),
    resumes: z.number(),
    sessions: z.array(z.object({ isConnected: z.boolean() })),
  })
  .transform(({ sessions, ...bot }) => ({
    ...bot,
    connected: sessions.filter(({ isConnected }) => isConnected).length,
  }));
type BotAtGateway = z.output<typeof botAtGateway>;

/** What a bench sets and reads of the pretend platform. */
export type Simulator = {
  /** Nothing named means its own defaults. Every window begins anew. */
  setLimits(wished: Partial<Limits>): Promise<Limits>;
  setGuild(id: string, snapshot: object): Promise<void>;
  /** How long every request takes on its way and back. */
  setLatency(ms: number): Promise<void>;
  /** A person is a member of exactly these. */
  setGuildsOf(userId: string, guildIds: string[]): Promise<void>;
  /** Every bot that was ever connected. */
  readGateway(): Promise<BotAtGateway[]>;
  /** Breaks the connections of a bot, as a broken network does. */
  cut(botId: string): Promise<void>;
  clearLog(): Promise<void>;
  /** The calls of bots, in the order they came. */
  readLog(): Promise<LoggedCall[]>;
  /** What webhooks posted, which needs no bot. */
  readPosts(): Promise<LoggedCall[]>;
};

export const controlOf = (url: string): Simulator => {
  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${url}/__sim${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Simulator: ${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const readAll = async () => z.array(logRow).parse(await control('GET', '/log'));
  return {
    setLimits: async (wished) => limits.parse(await control('PUT', '/limits', wished)),
    async setLatency(ms) {
      await control('PUT', '/latency', { ms });
    },
    async setGuild(id, snapshot) {
      await control('PUT', `/guilds/${id}`, snapshot);
    },
    async setGuildsOf(userId, guildIds) {
      await control('PUT', `/users/${userId}`, { guildIds });
    },
    async readGateway() {
      const gateway = z.object({ bots: z.array(botAtGateway) });
      return gateway.parse(await control('GET', '/gateway')).bots;
    },
    async cut(botId) {
      await control('POST', '/gateway/actions', { action: 'cut', botId });
    },
    async clearLog() {
      await control('DELETE', '/log');
    },
    async readLog() {
      return (await readAll()).filter(({ botId }) => botId !== null);
    },
    async readPosts() {
      return (await readAll()).filter(({ method, path }) => {
        return method === 'POST' && path.startsWith('/webhooks/');
      });
    },
  };
};
