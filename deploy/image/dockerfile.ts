/** One instruction: `RUN`, `COPY` and so on, and what follows it. */
export type Step = { word: string; rest: string };
export type Stage = { base: string; name: string | undefined; steps: Step[] };

/** The stages of a Dockerfile. Lines that end with a backslash go on in the next. */
export const parseDockerfile = (text: string): Stage[] => {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    const from = word === 'FROM' ? /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) : undefined;
    if (from) stages.push({ base: from[1] ?? '', name: from[2], steps: [] });
    else stages.at(-1)?.steps.push({ word, rest });
  }
  return stages;
};

/** What the exec form lists; the shell form would put a shell before the program, which gets the signals. */
export const parseExecForm = (rest: string): string[] => {
  const list: unknown = JSON.parse(rest);
  if (!Array.isArray(list)) throw new Error(`${rest} is not in exec form`);
  return list.map(String);
};

/**
 * Whether a path, relative to the context, is sent to the build. The last line that fits decides; a line
 * fits everything below the folder that it names.
 */
export const includedBy = (ignoreText: string): ((path: string) => boolean) => {
  const rules = ignoreText
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const isKept = line.startsWith('!');
      const pattern = isKept ? line.slice(1) : line;
      const globs = [new Bun.Glob(pattern), new Bun.Glob(`${pattern}/**`)];
      return { isKept, fits: (path: string) => globs.some((glob) => glob.match(path)) };
    });
  return (path) => rules.findLast(({ fits }) => fits(path))?.isKept ?? true;
};
