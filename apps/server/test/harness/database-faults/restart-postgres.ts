import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries } from '../../../src/db/embedded/binaries.ts';
import { runProgram } from '../../../src/db/embedded/system.ts';
import { chooseRunAs } from '../../../src/db/embedded/user.ts';

/** Restarts PostgreSQL on its port without a shutdown, as after a crash. */
export const restartPostgres = async (folder: string): Promise<void> => {
  const cluster = join(folder, 'postgres');
  const runAs = await chooseRunAs(cluster);
  const { pgCtl } = await findBinaries(folder, runAs);
  const logFile = join(folder, 'postgres.log');
  const log = await open(logFile, 'a');
  const restart = ['restart', '-D', cluster, '-m', 'immediate', '-l', logFile, '-w', '-s'];
  const { code } = await runProgram(pgCtl, restart, { runAs, logDescriptor: log.fd });
  await log.close();
  if (code !== 0) throw new Error('PostgreSQL did not start again');
};
