import { z } from 'zod';
import { runAdminCommand } from './admin/run.ts';

const oneLine = (error: unknown): string => {
  if (error instanceof z.ZodError) {
    return error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('; ');
  }
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s*\n\s*/g, ' ');
};

try {
  process.stdout.write(`${await runAdminCommand(process.argv.slice(2), process.env)}\n`);
} catch (error) {
  process.stderr.write(`${oneLine(error)}\n`);
  process.exit(1);
}
