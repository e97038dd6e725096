import type { Environment } from './auth/private-files.ts';
import type { Stream } from './output/output.ts';

/** The process, as far as commands use it. */
export type Io = {
  env: Environment;
  stdin: NodeJS.ReadStream;
  stdout: Stream;
  stderr: Stream;
};
