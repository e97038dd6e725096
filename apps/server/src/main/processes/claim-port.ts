import { errorCode } from '../../kernel/describe-error.ts';

const socket = { data: () => undefined };

/**
 * Makes sure that a port which several processes are to share is not shared with another service. The
 * name of a socket without a file, which is held until the end, keeps a second one out that starts at the
 * same moment; a bind without sharing finds any other program.
 */
export const claimPort = (host: string, port: number): { release(): void } => {
  if (port === 0) return { release: () => undefined };
  try {
    const name = Bun.listen({ unix: `\0holdfast ${host}:${port}`, socket });
    try {
      Bun.listen({ hostname: host, port, exclusive: true, socket }).stop(true);
    } catch (error) {
      name.stop(true);
      throw error;
    }
    name.unref();
    return { release: () => name.stop(true) };
  } catch (error) {
    throw errorCode(error) === 'EADDRINUSE'
      ? new Error(`Port ${port} is in use by another program: set PORT to a free one`)
      : error;
  }
};
