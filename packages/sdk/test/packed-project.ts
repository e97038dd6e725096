import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type Outcome = { exitCode: number; stdout: string; stderr: string };

/** A program of its own, with no more of the environment than it needs. */
export const runIn = async (
  folder: string,
  command: string[],
  env: Record<string, string> = {},
): Promise<Outcome> => {
  const child = Bun.spawn(command, { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
};

/** Packs a built package as it would be published, and installs it into a new project. */
export const installPacked = async (built: string, project: string): Promise<void> => {
  await npm(built, 'pack', '--silent', '--pack-destination', project);
  const tarball = (await readdir(project)).find((name) => name.endsWith('.tgz'));
  await writeFile(join(project, 'package.json'), '{ "private": true }\n');
  await npm(project, 'install', '--silent', '--offline', '--no-audit', `./${tarball}`);
};

/** With the settings of the user, such as their registry. */
export const npm = async (folder: string, ...given: string[]): Promise<void> => {
  const { PATH = '', HOME = '' } = process.env;
  const { exitCode, stderr } = await runIn(folder, ['npm', ...given], { PATH, HOME });
  if (exitCode !== 0) throw new Error(`npm ${given[0]}: ${stderr}`);
};

/** The same program for `require`, which cannot wait at its top level. */
export const asCommonJs = (program: string): string => {
  const required = program
    .replace(/^import (\{[^}]*\}) from ('[^']+');/m, 'const $1 = require($2);')
    .replaceAll('await import(', 'require(');
  return `(async () => {\n${required}\n})();\n`;
};
