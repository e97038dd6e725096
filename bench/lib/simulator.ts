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

/** What a bench sets and reads of the pretend platform. */
export type Simulator = {
  /** Nothing named means its own defaults. Every window begins anew. */
  setLimits(wished: Partial<Limits>): Promise<Limits>;
  setGuild(id: string, snapshot: object): Promise<void>;
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
    async setGuild(id, snapshot) {
      await control('PUT', `/guilds/${id}`, snapshot);
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
