import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { cutConnection, type Fault, type Faults, killProcess } from '../control/faults.ts';
import type { Guild } from '../guild/guild.ts';
import type { Platform, PlatformContext, PlatformEnv } from '../platform.ts';
import { tooManyBanFetches, unauthorized } from './api-error.ts';
import { reasonOf } from './audit-reason.ts';
import type { createRateLimits, LimitResult } from './rate-limits.ts';
import { type LogRow, parseIfJson, type RequestLog } from './request-log.ts';

export type PipelineDependencies = {
  platform: Platform;
  log: RequestLog;
  faults: Faults;
  limits: ReturnType<typeof createRateLimits>;
  /** How long a request and its answer are on their way, together. */
  latency: { ms: number };
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
    const { platform, log, faults, latency } = dependencies;
    await onItsWay(latency);
    const authorization = c.req.header('authorization');
    const bot = platform.identities.botOf(authorization);
    c.set('bot', bot);
    const request = describeRequest(platform, c);
    const row = log.start({
      ...request,
      body: await readBodyForLog(c),
      reason: reasonOf(c),
      botId: bot?.id ?? null,
    });

    const admission = admit(dependencies, c, row);
    if (admission instanceof Response) {
      await onItsWay(latency);
      return log.recordAnswer(row, admission);
    }
    const faultBefore = faults.due('before', row);
    const replacement = faultBefore && (await applyFault(c, faultBefore));
    if (replacement) {
      admission.giveBack();
      return recordFault(row, replacement);
    }

    await next();
    setHeaders(c.res, { ...admission.headers, ...faultBefore?.headers });
    row.applied = c.res.status < 400;
    if (!row.applied) admission.giveBack();
    if (row.applied && row.method !== 'GET') reportApplied(dependencies, row);
    const faultAfter = row.applied ? faults.due('afterApply', row) : undefined;
    const lateReplacement = faultAfter && (await applyFault(c, faultAfter));
    if (lateReplacement) {
      // Otherwise Hono would merge the headers of the replaced response.
      c.res = undefined;
      c.res = recordFault(row, lateReplacement);
    } else {
      setHeaders(c.res, faultAfter?.headers ?? {});
      await onItsWay(latency);
      await log.recordAnswer(row, c.res);
    }
    if (row.applied) scheduleAfterAnswer(faults, row);
  };

const onItsWay = ({ ms }: { ms: number }) => (ms > 0 ? Bun.sleep(ms / 2) : undefined);

const reportApplied = ({ platform, onApplied }: PipelineDependencies, row: LogRow) => {
  platform.world.reportChange();
  const guild = row.guildId === null ? undefined : platform.world.guilds.get(row.guildId);
  if (guild) onApplied?.(row, guild);
};

/** The log keeps only answers of the platform. */
const recordFault = (row: LogRow, response: Response): Response => {
  row.status = cutResponses.has(response) ? null : response.status;
  return response;
};

const cutResponses = new WeakSet<Response>();

const setHeaders = (response: Response, headers: Record<string, string>) => {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
};

type Admission = Pick<Extract<LimitResult, { isAllowed: true }>, 'headers' | 'giveBack'>;

const UNLIMITED: Admission = { headers: {}, giveBack: () => {} };

/** Refuses an invalid bot token or an exhausted limit. */
const admit = (
  { limits, platform }: PipelineDependencies,
  c: PlatformContext,
  row: LogRow,
): Response | Admission => {
  const isBotRequest = c.req.header('authorization')?.startsWith('Bot ');
  if (isBotRequest && !c.get('bot')) return c.json(unauthorized().body, 401);
  const subject = subjectOf(platform, c, row);
  if (subject === undefined) return UNLIMITED;
  const result = limits.consume({
    subject,
    route: `${row.method} ${row.route}`,
    majorId: majorIdOf(row.path),
    resourceId: resourceIdOf(platform, row.path),
    body: row.body,
  });
  return result.isAllowed ? result : refuseLimited(c, result);
};

/** Whose limits count: the bot's, the user's behind a bearer token, or the webhook's in the path. */
const subjectOf = (
  { identities }: Platform,
  c: PlatformContext,
  row: LogRow,
): string | undefined => {
  if (/^\/webhooks\/\d+\/./.test(row.path)) return `webhook ${majorIdOf(row.path)}`;
  const bot = c.get('bot');
  if (bot) return bot.id;
  const bearer = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  const grant = bearer === undefined ? undefined : identities.grantOf(bearer);
  return grant && `user ${grant.userId} of ${grant.applicationId}`;
};

const refuseLimited = (
  c: PlatformContext,
  limited: Extract<LimitResult, { isAllowed: false }>,
): Response => {
  const { headers, retryAfterS: retry_after, isGlobal: global, isBanFetch } = limited;
  if (isBanFetch) return c.json(tooManyBanFetches().body, 400);
  const body = { message: 'You are being rate limited.', code: 0, retry_after, global };
  return c.json(body, 429, headers);
};

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
  return c.json(body, status as ContentfulStatusCode, fault.headers);
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

/** Messages of several webhooks to one channel count together. */
const resourceIdOf = ({ world }: Platform, path: string): string => {
  const id = majorIdOf(path);
  return world.guildOf(id)?.webhooks.get(id)?.channel_id ?? id;
};

/** Reads a copy, since a form cannot be read twice. Of files only name and size are logged. */
const readBodyForLog = async (c: PlatformContext): Promise<unknown> => {
  if (c.req.method === 'GET' || !c.req.raw.body) return null;
  const type = c.req.header('content-type') ?? '';
  if (type.startsWith('multipart/')) return readFormForLog(c.req.raw.clone());
  return parseIfJson(await c.req.raw.clone().text());
};

const readFormForLog = async (request: Request): Promise<unknown> => {
  try {
    const parts = [...(await request.formData())].map(([name, part]) => [
      name,
      typeof part === 'string' ? parseIfJson(part) : { filename: part.name, size: part.size },
    ]);
    return Object.fromEntries(parts);
  } catch {
    return '[not a form]';
  }
};
