import type { Image } from './build-image.ts';
import { enterRoot } from './enter.ts';

/** Where containers find their secrets. */
const secretsAt = '/run/secrets';

/** The image's program with a read-only root, as its own user, on this machine's network. */
export const startImage = (
  image: Image,
  { env, secrets, command = image.command }: StartOptions,
) => {
  const entered = {
    ...image,
    command,
    isReadOnly: true,
    binds: [{ from: secrets, at: secretsAt }],
  };
  const child = Bun.spawn(enterRoot(entered), {
    env: { ...image.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  return { child, stop: () => child.kill(stopSignalOf(image)) };
};

type StartOptions = {
  env: Record<string, string>;
  /** A folder of this machine with a file for each secret. */
  secrets: string;
  command?: string[];
};

const stopSignalOf = ({ stopSignal }: Image): 'SIGTERM' => {
  if (stopSignal !== 'SIGTERM') throw new Error(`The service does not drain on ${stopSignal}`);
  return stopSignal;
};
