import { CommandFailed } from './admin/command.ts';
import { oneLine } from './admin/one-line.ts';
import { runAdminCommand } from './admin/run.ts';

// Ended by hand: an address that a command gave up on may still hold a connection.
try {
  await Bun.write(Bun.stdout, `${await runAdminCommand(process.argv.slice(2), process.env)}\n`);
  process.exit(0);
} catch (error) {
  if (error instanceof CommandFailed) await Bun.write(Bun.stdout, `${error.output}\n`);
  else process.stderr.write(`${oneLine(error)}\n`);
  process.exit(1);
}
