/** Runs the simulator as a process of its own: `npm run simulator`. Its settings are the variables below. */
import { z } from 'zod';
import { startSimulator } from './index.ts';

const environmentSchema = z.object({
  SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(3001),
  SIMULATOR_HOST: z.string().default('127.0.0.1'),
  SIMULATOR_STATE_FILE: z.string().optional(),
  /** "strict": only what the control API has set exists. */
  SIMULATOR_MODE: z.enum(['open', 'strict']).default('open'),
});

const environment = environmentSchema.parse(process.env);
const simulator = await startSimulator({
  port: environment.SIMULATOR_PORT,
  host: environment.SIMULATOR_HOST,
  isOpen: environment.SIMULATOR_MODE === 'open',
  stateFile: environment.SIMULATOR_STATE_FILE,
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await simulator.stop();
    process.exit(0);
  });
}

// Last, since a service that waits for this line may stop the simulator right after it.
process.stdout.write(`Platform simulator: ${simulator.url}/api/v10\n`);
