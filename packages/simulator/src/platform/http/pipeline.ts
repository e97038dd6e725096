import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { cutConnection, type Fault, type Faults, killProcess } from '../control/faults.ts';
import type { Guild } from '../guild/guild.ts';
import type { Platform, PlatformContext, PlatformEnv } from '../platform.ts';
import { unauthorized } from './api-error.ts';
import type { createRateLimits, LimitResult } from './rate-limits.ts';
import type { LogRow, RequestLog } from './request-log.ts';

export type PipelineDependencies = {
  platform: Platform;
  log: RequestLog;
  faults: Faults;
  limits: ReturnType<typeof createRateLimits>;
  /** Called after each change of a guild took effect. */
  onApplied?: OnApplied;
};

export type OnApplied = (row: Readonly<LogRow>, guild: Guild) => void;

/** By then the response is sent; Bun has no event for it. */
const ANSWER_SENT_AFTER_MS = 2;

/** Every platform request: authenticate, limits, faults, the route, faults, the log. */
export const createPipeline =
  (dependencies: PipelineDependencies): MiddlewareHandler<PlatformEnv> =>
  async (c, next) => {
    const { platform, log, faults } = dependencies;
    const authorization = c.req.header('authorization');
    const bot = platform.identities.botOf(authorization);
    c.set('bot', bot);
    const request = describeRequest(platform, c);
    const row = log.start({ ...request, body: await readBodyForLog(c), botId: bot?.id ?? null });

    const headers = new Map<string, string>();
    const refusal = refusalBeforeRoute(dependencies, c, row, headers);
    if (refusal) return recordAnswer(row, refusal);
    const faultBefore = faults.due('before', row);
    const replacement = faultBefore && (await applyFault(c, faultBefore));
    if (replacement) return recordAnswer(row, replacement);

    await next();
    for (const [name, value] of headers) c.res.headers.set(name, value);
    row.applied = c.res.status < 400;
    if (row.applied && row.method !== 'GET') reportApplied(dependencies, row);
    const faultAfter = row.applied ? faults.due('afterApply', row) : undefined;
    const lateReplacement = faultAfter && (await applyFault(c, faultAfter));
    if (lateReplacement) {
      // Otherwise Hono would merge the headers of the replaced response.
      c.res = undefined;
      c.res = lateReplacement;
    }
    recordAnswer(row, c.res);
    if (row.applied) scheduleAfterAnswer(faults, row);
  };

const reportApplied = ({ platform, onApplied }: PipelineDependencies, row: LogRow) => {
  platform.world.reportChange();
  const guild = row.guildId === null ? undefined : platform.world.guilds.get(row.guildId);
  if (guild) onApplied?.(row, guild);
};

const recordAnswer = (row: LogRow, response: Response): Response => {
  row.status = cutResponses.has(response) ? null : response.status;
  return response;
};

const cutResponses = new WeakSet<Response>();

/** Refuses an invalid bot token or an exhausted limit. The limit headers of an allowed request go into `headers`. */
const refusalBeforeRoute = (
  { limits }: PipelineDependencies,
  c: PlatformContext,
  row: LogRow,
  headers: Map<string, string>,
): Response | undefined => {
  const bot = c.get('bot');
  if (!bot) {
    const isBotRequest = c.req.header('authorization')?.startsWith('Bot ');
    return isBotRequest ? c.json(unauthorized().body, 401) : undefined;
  }
  const result = limits.consume(bot.id, `${row.method} ${row.route}`, majorIdOf(row.path));
  if (!result.isAllowed) return refuseLimited(c, result);
  for (const [name, value] of Object.entries(result.headers)) headers.set(name, value);
  return undefined;
};

const refuseLimited = (
  c: PlatformContext,
  {
    headers,
    retryAfterS: retry_after,
    isGlobal: global,
  }: Extract<LimitResult, { isAllowed: false }>,
): Response =>
  c.json({ message: 'You are being rate limited.', retry_after, global }, 429, headers);

/** Applies the fault; a returned response replaces the route's own. */
const applyFault = async (c: PlatformContext, fault: Fault): Promise<Response | undefined> => {
  if (fault.ms) await Bun.sleep(fault.ms);
  if (fault.action === 'kill' && fault.pid) killProcess(fault.pid);
  if (fault.action === 'hang') await new Promise(() => {});
  // The caller was killed before its request took effect: the route must not run.
  const isCut = fault.action === 'reset' || (fault.action === 'kill' && fault.when === 'before');
  if (isCut) {
    const cut = cutConnection();
    cutResponses.add(cut);
    return cut;
  }
  if (fault.action !== 'status') return undefined;
  const status = fault.status ?? 500;
  const body = fault.body ?? { message: `${status}: fault`, code: 0 };
  // The schema checked the range; Hono's type lists the codes one by one.
  return c.json(body, status as ContentfulStatusCode);
};

const scheduleAfterAnswer = (faults: Faults, row: LogRow) => {
  const fault = faults.due('afterAnswer', row);
  const { pid } = fault ?? {};
  if (fault?.action !== 'kill' || !pid) return;
  setTimeout(() => killProcess(pid), ANSWER_SENT_AFTER_MS + (fault.ms ?? 0));
};

const API_PREFIX = /^\/api(\/v\d+)?/;

const describeRequest = ({ world }: Platform, c: PlatformContext) => {
  const url = new URL(c.req.url);
  const path = url.pathname.replace(API_PREFIX, '');
  const matched = matchedRoutes(c).find(({ method }) => method !== 'ALL');
  const route = matched?.path.replace(API_PREFIX, '').replace(/:\w+(\{[^}]*\})?/g, ':id') ?? null;
  const [, kind, id = ''] = path.split('/');
  const guildId = kind === 'guilds' ? id : (world.guildOf(id)?.id ?? null);
  return { method: c.req.method, path: path + url.search, route, guildId };
};

const majorIdOf = (path: string): string => {
  const [, kind = '', id = ''] = path.split('?')[0]?.split('/') ?? [];
  return ['guilds', 'channels', 'webhooks'].includes(kind) ? id : '';
};

/** Reads a copy, since a form cannot be read twice. Files are not logged. */
const readBodyForLog = async (c: PlatformContext): Promise<unknown> => {
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
