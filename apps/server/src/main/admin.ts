import { oneLine } from './admin/one-line.ts';
import { runAdminCommand } from './admin/run.ts';

try {
  process.stdout.write(`${await runAdminCommand(process.argv.slice(2), process.env)}\n`);
} catch (error) {
  process.stderr.write(`${oneLine(error)}\n`);
  process.exit(1);
}
