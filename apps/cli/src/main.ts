#!/usr/bin/env bun
/**
 * The command line of Holdfast. Each command is described as data (`command.ts`); parsing, help,
 * completion, the man page and docs/cli.md are derived from these descriptions.
 *
 * - `run.ts`: from the arguments to the exit code; `parse.ts`: the arguments; `context.ts`: what a command uses
 * - `operations/`: one command for each operation of the API, from the SDK's catalog
 * - `commands/`: what people do with several of them, and signing in
 * - `community/`: a server's structure as a file: export, diff, apply
 * - `auth/`: profiles, where keys are kept and which service gets them (decision 28); `output/`: tables, trees, JSON, progress, failures
 * - `docs/`: completion, man page and reference
 */
import packageJson from '../package.json' with { type: 'json' };

const [first] = process.argv.slice(2);

// Who reads the output may stop before its end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// Everything else is loaded only if it is needed.
if (first === '--version' || first === '-V') process.stdout.write(`${packageJson.version}\n`);
else {
  const { run } = await import('./run.ts');
  process.exit(await run(process.argv.slice(2), process));
}
