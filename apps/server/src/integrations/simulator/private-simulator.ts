import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readSimulatorAddress, simulatorProgram } from './program.ts';
import { send } from './send.ts';

/** The program is not installed, or did not start. */
export class SimulatorUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SimulatorUnavailable';
  }
}

export type PrivateSimulator = {
  url: string;
  apiUrl: string;
  /** Sets a part of its state, such as `/guilds/:id`. */
  put(path: string, body: object): Promise<void>;
  stop(): Promise<void>;
};

const controlMs = 10_000;

/**
 * A simulated platform for one piece of work: on loopback, at any free port, with nothing in it. It ends
 * with this process, however that ends: its standard input then ends, and it ends with it.
 */
export const startPrivateSimulator = async (): Promise<PrivateSimulator> => {
  if (!existsSync(simulatorProgram)) throw new SimulatorUnavailable('It is not installed');
  const child = spawn(process.execPath, ['--no-env-file', simulatorProgram], {
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    // None of our own environment, which may hold secrets.
    env: {
      PATH: process.env.PATH,
      SIMULATOR_PORT: '0',
      SIMULATOR_MODE: 'strict',
      SIMULATOR_OWNER_PID: String(process.pid),
      SIMULATOR_ENDS_WITH_INPUT: '1',
    },
  });
  const exited = new Promise<void>((settle) => {
    child.once('exit', () => settle());
    child.once('error', () => settle());
  });
  // It has nothing to save.
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const url = await readSimulatorAddress(child);
  if (url === undefined) {
    await stop();
    throw new SimulatorUnavailable('It did not start');
  }
  return {
    url,
    apiUrl: `${url}/api`,
    async put(path, body) {
      const options = { method: 'PUT', body, timeoutMs: controlMs };
      const { status } = await send(`${url}/__sim${path}`, options);
      if (status >= 300) throw new Error(`The simulator answered ${status} to ${path}`);
    },
    stop,
  };
};
