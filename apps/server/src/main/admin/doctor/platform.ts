import type { Database } from '../../../db/connect.ts';
import { openCredential } from '../../../features/bots/credentials/credentials.ts';
import { countRefusedBots, listBotsToSample } from '../../../features/bots/queries.ts';
import { createMetrics } from '../../../kernel/metrics.ts';
import { type KeyRing, unlessBroken } from '../../../kernel/seal.ts';
import { cdnUrlOf, normalizeApiUrl } from '../../../platform/client/urls.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { createPlatformMetrics } from '../../../platform/metrics.ts';
import { createPlatformOAuth } from '../../../platform/oauth/oauth.ts';
import { createPlatform } from '../../../platform/platform.ts';
import type { Platform } from '../../../platform/port.ts';
import type { Config } from '../../config.ts';
import { findSimulator } from '../../local-mode/simulator-process.ts';
import { readKeyRing } from '../../storage.ts';
import type { OpenDatabase } from './database.ts';
import {
  type Check,
  judgeClock,
  NotChecked,
  nameOf,
  ok,
  problem,
  type Verdict,
  warning,
} from './finding.ts';

export const platformChecks = (open: OpenDatabase, config: Config): Check[] => {
  const apiUrl = findApi(config);
  return [
    { name: 'platform', run: async () => checkReachable(await apiUrl) },
    { name: 'sign-in client', run: async () => [await checkClient(await known(apiUrl), config)] },
    {
      name: 'bots',
      withinMs: 20_000,
      run: async () => checkBots(await open(), await known(apiUrl), await readKeyRing(config)),
    },
  ];
};

/** Undefined in local mode where no simulator runs. */
const findApi = async (config: Config): Promise<string | undefined> => {
  const { apiUrl } = config.platform;
  if (apiUrl !== undefined) return normalizeApiUrl(apiUrl);
  const simulator = await findSimulator(config);
  return simulator === undefined ? undefined : `${simulator}/api`;
};

const known = async (apiUrl: Promise<string | undefined>): Promise<string> => {
  const url = await apiUrl;
  if (url === undefined) throw new NotChecked('Start the service: its simulator does not run.');
  return url;
};

const answerWithinMs = 8000;

const checkReachable = async (apiUrl: string | undefined): Promise<Verdict[]> => {
  if (apiUrl === undefined) {
    return [warning('the simulator of local mode does not run', 'Start the service.')];
  }
  const { host } = new URL(apiUrl);
  try {
    const startedAt = Date.now();
    const signal = AbortSignal.timeout(answerWithinMs);
    const answer = await fetch(`${apiUrl}/v10/gateway`, { signal, redirect: 'manual' });
    const tookMs = Date.now() - startedAt;
    await answer.body?.cancel();
    return [judgeAnswer(host, answer.status, tookMs), ...clockOf(answer, startedAt, tookMs)];
  } catch (error) {
    const advice =
      'Allow this machine to reach it by HTTPS; check PLATFORM_API_URL where it is set.';
    return [problem(`${host} does not answer: ${nameOf(error)}`, advice)];
  }
};

const judgeAnswer = (host: string, status: number, tookMs: number): Verdict => {
  if (status === 200) return ok(`${host} answers in ${tookMs} ms`);
  const advice =
    status === 403 || status === 429
      ? 'The platform limits or blocks the address of this machine: wait, and look for refused calls in the log.'
      : "Look at the platform's status page, and check PLATFORM_API_URL.";
  return problem(`${host} answers with ${status}`, advice);
};

/** The header has whole seconds. */
const headerPrecisionMs = 1000;

const clockOf = ({ headers }: Response, startedAt: number, tookMs: number): Verdict[] => {
  const platformMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(platformMs)) return [];
  const skewMs = platformMs + headerPrecisionMs / 2 - (startedAt + tookMs / 2);
  return [judgeClock('the platform', skewMs, headerPrecisionMs + tookMs / 2)];
};

const metricsOfNobody = () => createPlatformMetrics(createMetrics().registry);

const checkClient = async (apiUrl: string, { platform }: Config): Promise<Verdict> => {
  const { signInClient } = platform;
  const oauth = createPlatformOAuth({ apiUrl, metrics: metricsOfNobody() });
  try {
    await oauth.checkClient(signInClient);
    return ok(`${signInClient.clientId} and its secret are accepted`);
  } catch (error) {
    const kind = error instanceof PlatformFailure ? error.kind : nameOf(error);
    if (kind !== 'clientRefused' && kind !== 'refused') {
      return warning(`not answered: ${kind}`, 'Run it again once the platform answers.');
    }
    return problem(
      `the platform refuses ${signInClient.clientId} or its secret: nobody can sign in`,
      'Set PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET as the developer portal shows them.',
    );
  }
};

/** Few enough that refused tokens do not count much against this machine's address. */
const sampleSize = 20;

const checkBots = async (
  db: Database,
  apiUrl: string,
  ring: KeyRing | undefined,
): Promise<Verdict[]> => {
  if (ring === undefined) throw new NotChecked('Without the master keys no token can be read.');
  const sample = await listBotsToSample(db, sampleSize);
  const metrics = metricsOfNobody();
  const platform = createPlatform({ apiUrl, cdnUrl: cdnUrlOf(apiUrl), metrics });
  const results = await Promise.all(sample.map((bot) => askBot(platform, ring, bot)));
  return [judgeSample(results), ...judgeRefused(await countRefusedBots(db))];
};

type Sampled = Awaited<ReturnType<typeof listBotsToSample>>[number];
type Asked = {
  id: string;
  is: 'well' | 'dead' | 'unreadable' | 'unanswered';
  lacksMembers: boolean;
};

const askBot = async (platform: Platform, ring: KeyRing, bot: Sampled): Promise<Asked> => {
  const { id } = bot;
  const token = unlessBroken(() => openCredential(ring, bot, 'botToken'));
  if (token === undefined) return { id, is: 'unreadable', lacksMembers: false };
  try {
    const { intents } = await platform.lookUpToken(token, { timeoutMs: answerWithinMs });
    return { id, is: 'well', lacksMembers: !intents.includes('GUILD_MEMBERS') };
  } catch (error) {
    const isDead = error instanceof PlatformFailure && error.kind === 'botTokenDead';
    return { id, is: isDead ? 'dead' : 'unanswered', lacksMembers: false };
  }
};

const judgeSample = (asked: Asked[]): Verdict => {
  if (asked.length === 0) return ok('there is no active bot yet');
  const those = (isOne: (bot: Asked) => boolean) => asked.filter(isOne).map(({ id }) => id);
  const unreadable = those(({ is }) => is === 'unreadable');
  const dead = those(({ is }) => is === 'dead');
  const blind = those(({ lacksMembers }) => lacksMembers);
  const of = `of ${asked.length} active bots that were asked`;
  if (unreadable.length > 0) {
    const advice =
      'Put the master key back that they were sealed under; "admin key-status" names it.';
    return problem(`the tokens of ${unreadable.length} ${of} do not open: ${unreadable}`, advice);
  }
  if (dead.length > 0) {
    const advice = 'Their owners must give new tokens; a worker switches such bots off by itself.';
    return warning(`the platform refuses ${dead.length} ${of}: ${dead.join(', ')}`, advice);
  }
  if (asked.every(({ is }) => is === 'unanswered')) {
    return warning('the platform answered for none of them', 'Run it again once it answers.');
  }
  if (blind.length > 0) {
    const advice =
      'Their owners switch SERVER MEMBERS INTENT on, in the developer portal under Bot.';
    return warning(`${blind.length} ${of} cannot see members: ${blind.join(', ')}`, advice);
  }
  return ok(`${asked.length} active bots were asked: tokens and intents are in order`);
};

const judgeRefused = ({ tokens, intents }: { tokens: number; intents: number }): Verdict[] =>
  tokens + intents === 0
    ? []
    : [
        warning(
          `of all bots, ${tokens} have a refused token and ${intents} are refused by the gateway`,
          'Their owners see it in the dashboard; tell those who do not look.',
        ),
      ];
