/** Runs the simulator as a process of its own: `npm run simulator`. Its settings are the variables below. */
import { z } from 'zod';
import { startSimulator } from './index.ts';

const environmentSchema = z.object({
  SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(3001),
  SIMULATOR_HOST: z.string().default('127.0.0.1'),
  SIMULATOR_STATE_FILE: z.string().optional(),
  /** "strict": only what the control API has set exists. */
  SIMULATOR_MODE: z.enum(['open', 'strict']).default('open'),
  /** "1": ends when its standard input does, as it does at the death of the process that writes to it. */
  SIMULATOR_ENDS_WITH_INPUT: z.literal(['0', '1']).default('0'),
});

const environment = environmentSchema.parse(process.env);
const simulator = await startSimulator({
  port: environment.SIMULATOR_PORT,
  host: environment.SIMULATOR_HOST,
  isOpen: environment.SIMULATOR_MODE === 'open',
  stateFile: environment.SIMULATOR_STATE_FILE,
});

const end = async () => {
  await simulator.stop();
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
if (environment.SIMULATOR_ENDS_WITH_INPUT === '1') process.stdin.once('end', end).resume();

// Last, since a service that waits for this line may stop the simulator right after it.
process.stdout.write(`Platform simulator: ${simulator.url}/api/v10\n`);
