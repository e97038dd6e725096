import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { unauthorized } from './api-error.ts';
import { cutConnection, type Fault, type Faults, killProcess } from './faults.ts';
import type { Guild } from './guild-state.ts';
import type { Platform, PlatformContext, PlatformEnv } from './platform.ts';
import type { createRateLimits, LimitVerdict } from './rate-limits.ts';
import type { LogRow, RequestLog } from './request-log.ts';

export type PipelineParts = {
  platform: Platform;
  log: RequestLog;
  faults: Faults;
  limits: ReturnType<typeof createRateLimits>;
  /** Hears of every change of a guild when it has just taken effect. */
  onApplied?: OnApplied;
};

export type OnApplied = (row: Readonly<LogRow>, guild: Guild) => void;

/** The socket has taken the answer by then; Bun offers no event for it. */
const ANSWER_SENT_AFTER_MS = 2;

/** What every platform request passes: who asks, limits, faults, the route itself, faults, the log. */
export const createPipeline =
  (parts: PipelineParts): MiddlewareHandler<PlatformEnv> =>
  async (c, next) => {
    const { platform, log, faults } = parts;
    const authorization = c.req.header('authorization');
    const bot = platform.identities.botOf(authorization);
    c.set('bot', bot);
    const place = describePlace(platform, c);
    const row = log.start({ ...place, body: await readForLog(c), botId: bot?.id ?? null });

    const headers = new Map<string, string>();
    const refusal = refuseEarly(parts, c, row, headers);
    if (refusal) return answer(row, refusal);
    const before = faults.due('before', row);
    const replaced = before && (await commit(c, before));
    if (replaced) return answer(row, replaced);

    await next();
    for (const [name, value] of headers) c.res.headers.set(name, value);
    row.applied = c.res.status < 400;
    if (row.applied && row.method !== 'GET') reportApplied(parts, row);
    const after = row.applied ? faults.due('afterApply', row) : undefined;
    const swapped = after && (await commit(c, after));
    if (swapped) {
      // Hono would otherwise merge the headers of the answer that is being replaced.
      c.res = undefined;
      c.res = swapped;
    }
    answer(row, c.res);
    if (row.applied) scheduleAfterAnswer(faults, row);
  };

const reportApplied = ({ platform, onApplied }: PipelineParts, row: LogRow) => {
  platform.world.reportChange();
  const guild = row.guildId === null ? undefined : platform.world.guilds.get(row.guildId);
  if (guild) onApplied?.(row, guild);
};

const answer = (row: LogRow, response: Response): Response => {
  row.status = cutAnswers.has(response) ? null : response.status;
  return response;
};

const cutAnswers = new WeakSet<Response>();

/** A dead bot token, or a limit that is used up. Limit headers of a request let through go into `headers`. */
const refuseEarly = (
  { limits }: PipelineParts,
  c: PlatformContext,
  row: LogRow,
  headers: Map<string, string>,
): Response | undefined => {
  const bot = c.get('bot');
  if (!bot) {
    const isBotRequest = c.req.header('authorization')?.startsWith('Bot ');
    return isBotRequest ? c.json(unauthorized().body, 401) : undefined;
  }
  const verdict = limits.take(bot.id, `${row.method} ${row.route}`, majorIdOf(row.path));
  if (!verdict.isAllowed) return refuseLimited(c, verdict);
  for (const [name, value] of Object.entries(verdict.headers)) headers.set(name, value);
  return undefined;
};

const refuseLimited = (
  c: PlatformContext,
  verdict: Extract<LimitVerdict, { isAllowed: false }>,
): Response =>
  c.json(
    {
      message: 'You are being rate limited.',
      retry_after: verdict.retryAfterS,
      global: verdict.isGlobal,
    },
    429,
    verdict.headers,
  );

/** Does what the fault says; a response replaces the route's own. */
const commit = async (c: PlatformContext, fault: Fault): Promise<Response | undefined> => {
  if (fault.ms) await Bun.sleep(fault.ms);
  if (fault.action === 'kill' && fault.pid) killProcess(fault.pid);
  if (fault.action === 'hang') await new Promise(() => {});
  // Who was killed before gets nothing done: the request never takes effect.
  const isCut = fault.action === 'reset' || (fault.action === 'kill' && fault.when === 'before');
  if (isCut) {
    const cut = cutConnection();
    cutAnswers.add(cut);
    return cut;
  }
  if (fault.action !== 'status') return undefined;
  const status = fault.status ?? 500;
  const body = fault.body ?? { message: `${status}: fault`, code: 0 };
  // Zod has checked the range; Hono's type lists the codes one by one.
  return c.json(body, status as ContentfulStatusCode);
};

const scheduleAfterAnswer = (faults: Faults, row: LogRow) => {
  const fault = faults.due('afterAnswer', row);
  const { pid } = fault ?? {};
  if (fault?.action !== 'kill' || !pid) return;
  setTimeout(() => killProcess(pid), ANSWER_SENT_AFTER_MS + (fault.ms ?? 0));
};

const API_PREFIX = /^\/api(\/v\d+)?/;

const describePlace = ({ world }: Platform, c: PlatformContext) => {
  const url = new URL(c.req.url);
  const path = url.pathname.replace(API_PREFIX, '');
  const matched = matchedRoutes(c).find(({ method }) => method !== 'ALL');
  const route = matched?.path.replace(API_PREFIX, '').replace(/:\w+(\{[^}]*\})?/g, ':id') ?? null;
  const [, kind, id = ''] = path.split('/');
  const guildId = kind === 'guilds' ? id : (world.homeOf(id)?.id ?? null);
  return { method: c.req.method, path: path + url.search, route, guildId };
};

const majorIdOf = (path: string): string => {
  const [, kind = '', id = ''] = path.split('?')[0]?.split('/') ?? [];
  return ['guilds', 'channels', 'webhooks'].includes(kind) ? id : '';
};

/** A copy is read, since a form cannot be read twice. Files are not worth keeping. */
const readForLog = async (c: PlatformContext): Promise<unknown> => {
  if (c.req.method === 'GET' || !c.req.raw.body) return null;
  const type = c.req.header('content-type') ?? '';
  if (type.startsWith('multipart/')) return '[form with files]';
  const text = await c.req.raw.clone().text();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
};
