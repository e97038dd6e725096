import { reasonOf } from '../../../http/limits/redis-failures.ts';
import { checkSmtp } from '../../../integrations/mailer.ts';
import type { Config } from '../../config.ts';
import { planProcesses } from '../../processes/plan-processes.ts';
import type { OpenDatabase } from './database.ts';
import { type Check, nameOf, ok, problem, type Verdict, warning } from './finding.ts';
import { countConnections } from './queries.ts';

export const serviceChecks = (open: OpenDatabase, config: Config): Check[] => {
  const { redisUrl, mail, isLocal, isProduction } = config;
  return [
    {
      name: 'Redis',
      run: async () => [
        redisUrl === undefined
          ? await judgeNoRedis(open, planProcesses(config).count)
          : await checkRedis(redisUrl),
      ],
    },
    { name: 'mail', withinMs: 20_000, run: async () => [await checkMail(mail, isLocal)] },
    ...(isProduction ? [] : [modeNote(isLocal)]),
  ];
};

const modeNote = (isLocal: boolean): Check => ({
  name: 'mode',
  run: async () => [
    isLocal
      ? ok('local mode, with a simulated platform')
      : warning('development mode', 'Set NODE_ENV=production where people use it.'),
  ],
});

const redisAdvice: Record<string, string> = {
  full: 'Raise maxmemory, or let maxmemory-policy evict keys.',
  read_only: 'Let REDIS_URL lead to the primary.',
  refused: 'Check user, password and rights in REDIS_URL.',
  silent: 'It accepts connections and does not answer: look at its log and load.',
};

/** Those at one port count together, without Redis. */
const judgeNoRedis = async (open: OpenDatabase, together: number): Promise<Verdict> => {
  const { processes } = await countConnections(await open());
  if (together > 1 && processes <= together) {
    return ok(`not set, and not needed by ${together} processes at one port`);
  }
  return processes > 1
    ? warning(
        `not set, and ${processes} processes each count requests for themselves`,
        'Set REDIS_URL in all of them: a key may else send its limit to each.',
      )
    : ok('not set, and not needed by one process');
};

const checkRedis = async (url: string): Promise<Verdict> => {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    ...{ lazyConnect: true, maxRetriesPerRequest: 0, connectTimeout: 4000, commandTimeout: 4000 },
    retryStrategy: () => null,
  });
  // Told by the rejected call as well; without a listener the client prints it, with the command.
  redis.on('error', () => undefined);
  const { host } = new URL(url);
  try {
    await redis.connect();
    // A write, because a full or read-only one answers reads.
    await redis.set('holdfast:doctor', '1', 'PX', 1000);
    return ok(`${host} takes counts`);
  } catch (error) {
    const reason = reasonOf(error);
    const advice = redisAdvice[reason] ?? 'Check REDIS_URL, and whether this machine reaches it.';
    return problem(`${host} takes no counts: ${reason}`, advice);
  } finally {
    redis.disconnect();
  }
};

const mailAdvice: Record<string, string> = {
  EAUTH: 'Check user and password in SMTP_URL.',
  ETLS: 'Use smtps:// for a port that speaks TLS from the start, smtp:// for STARTTLS.',
  ESOCKET: 'Check host, port and certificate of SMTP_URL.',
};

const checkMail = async ({ smtpUrl }: Config['mail'], isLocal: boolean): Promise<Verdict> => {
  if (smtpUrl === undefined) {
    return isLocal
      ? ok("mails go to the simulator's outbox")
      : warning('no mail is sent', 'Set SMTP_URL: alerts and notices of payments go by mail.');
  }
  const { host } = new URL(smtpUrl.reveal());
  try {
    await checkSmtp(smtpUrl);
    return ok(`${host} greets${new URL(smtpUrl.reveal()).username ? ' and takes the login' : ''}`);
  } catch (error) {
    const code = nameOf(error);
    const advice = mailAdvice[code] ?? 'Check SMTP_URL, and whether this machine reaches it.';
    return problem(`${host} takes no mail: ${code}`, advice);
  }
};
