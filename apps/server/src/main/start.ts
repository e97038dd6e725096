import { createLog } from '../kernel/log.ts';
import { type Config, readConfig } from './config.ts';
import { greeting } from './greeting.ts';
import { settleDataDir } from './local-mode/data-dir.ts';
import { adviseOnNode } from './node-advice.ts';
import { EndedAtStart } from './processes/member.ts';
import { planProcesses } from './processes/plan-processes.ts';
import { startProcesses } from './processes/supervisor.ts';
import { settleSettings } from './secret-files.ts';
import { startService } from './service.ts';
import { stopOnSignal, stopWithinMs } from './stop-on-signal.ts';

const log = createLog();
const stopping = new AbortController();

const run = async (): Promise<void> => {
  const config = settleDataDir(readConfig(process.env));
  const { isProduction } = config;
  if (!isProduction) process.stdout.write('Starting Holdfast …\n');
  const { count: processes, note } = planProcesses(config);
  for (const advice of [adviseOnNode(process.env.npm_config_user_agent), note]) {
    if (advice !== undefined && isProduction) log.info(advice);
    else if (advice !== undefined) process.stdout.write(`${advice}\n`);
  }
  const starting = processes === 1 ? startOne(config) : startSeveral(config, processes);
  stopOnSignal({ starting, withinMs: () => config.drainMs + stopWithinMs, log, stopping });
  const { url, greeting: text } = await starting;
  if (stopping.signal.aborted) return;
  if (!isProduction) process.stdout.write(text);
  log.info(processes === 1 ? { url } : { url, processes }, 'listening');
};

const startOne = async (config: Config) => {
  const service = await startService(config, log);
  return { ...service, greeting: greeting(config, service) };
};

const startSeveral = (config: Config, count: number) =>
  startProcesses(config, {
    ...{ count, log, settings: settleSettings(process.env), stopping: stopping.signal },
    // Before this process itself gives up.
    stopWithinMs: config.drainMs + stopWithinMs - 1000,
    onGivenUp: fail,
  });

const fail = (error: unknown): void => {
  // Told to stop in the middle of its start: that is no failure.
  if (stopping.signal.aborted) process.exit();
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof EndedAtStart ? error.exitCode : 1);
};

run().catch(fail);
