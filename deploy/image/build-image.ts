import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { unpackBase } from './debian-root.ts';
import { includedBy, parseDockerfile, parseExecForm, type Stage, type Step } from './dockerfile.ts';
import { type Entered, enterRoot } from './enter.ts';
import { runProgram } from './program.ts';

/** What the last stage of a Dockerfile leaves: a root, and how its program is started. */
export type Image = {
  root: string;
  env: Record<string, string>;
  workdir: string;
  user: string;
  volumes: string[];
  command: string[];
  healthCheck: string[];
  stopSignal: string;
};

type Building = { context: string; folder: string; roots: Map<string, string> };

/**
 * Does what `docker build` would do, in folders: each stage begins with a root of its own. A stage whose
 * root is given is not built.
 */
export const buildImage = async (
  context: string,
  folder: string,
  given: ReadonlyMap<string, string> = new Map(),
): Promise<Image> => {
  const stages = parseDockerfile(await readFile(join(context, 'Dockerfile'), 'utf8'));
  const building = { context, folder, roots: new Map(given) };
  let image: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    if (stage.name !== undefined && given.has(stage.name)) continue;
    image = await buildStage(stage, `${index}`, building);
  }
  if (!image) throw new Error('The Dockerfile has no stage');
  return image;
};

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const buildStage = async (stage: Stage, name: string, building: Building): Promise<Image> => {
  const image: Image = {
    root: join(building.folder, stage.name ?? name),
    env: { PATH: usualPath },
    ...{ workdir: '/', user: '0:0', stopSignal: 'SIGTERM' },
    ...{ volumes: [], command: [], healthCheck: [] },
  };
  await unpackBase(stage.base, image.root);
  building.roots.set(stage.name ?? name, image.root);
  for (const step of stage.steps) await takeStep(step, image, building);
  return image;
};

const takeStep = async ({ word, rest }: Step, image: Image, building: Building): Promise<void> => {
  const takes: Record<string, () => Promise<unknown> | unknown> = {
    RUN: () => runStep(rest, image),
    COPY: () => copyStep(rest, image, building),
    ENV: () => Object.assign(image.env, readVariables(rest)),
    WORKDIR: () => {
      image.workdir = resolve(image.workdir, rest);
      return mkdir(image.root + image.workdir, { recursive: true });
    },
    USER: () => Object.assign(image, { user: rest }),
    VOLUME: () => Object.assign(image, { volumes: parseExecForm(rest) }),
    STOPSIGNAL: () => Object.assign(image, { stopSignal: rest }),
    HEALTHCHECK: () =>
      Object.assign(image, { healthCheck: parseExecForm(rest.replace(/^.*? CMD /, '')) }),
    CMD: () => Object.assign(image, { command: parseExecForm(rest) }),
    // A note for people.
    EXPOSE: () => undefined,
  };
  const take = takes[word];
  if (!take) throw new Error(`${word} is no instruction that is known here`);
  await take();
};

const readVariables = (rest: string): Record<string, string> =>
  Object.fromEntries(
    rest.split(/\s+/).map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );

/** What Docker passes to every build by itself. */
const passedOn = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

const runStep = async (rest: string, image: Image): Promise<void> => {
  const cacheMount = /^--mount=type=cache,target=(\S+)\s+/;
  const [, cacheAt] = cacheMount.exec(rest) ?? [];
  const npmCache = async () => (await runProgram(['npm', 'config', 'get', 'cache'])).trim();
  const binds = cacheAt === undefined ? [] : [{ from: await npmCache(), at: cacheAt }];
  await copyFile('/etc/resolv.conf', `${image.root}/etc/resolv.conf`);
  const proxies = passedOn.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const entered: Entered = {
    ...image,
    volumes: [],
    binds,
    command: ['/bin/sh', '-c', rest.replace(cacheMount, '')],
  };
  const env = { ...Object.fromEntries(proxies), HOME: '/root', ...image.env };
  await runProgram(enterRoot(entered), { env });
};

const copyStep = async (rest: string, image: Image, building: Building): Promise<void> => {
  const [, stage, from = '', to = ''] = /^(?:--from=(\S+)\s+)?(\S+)\s+(\S+)$/.exec(rest) ?? [];
  const target = image.root + resolve(image.workdir, to);
  await mkdir(target, { recursive: true });
  if (stage === undefined) return copyContext(building.context, from, target);
  const root = building.roots.get(stage);
  if (root === undefined) throw new Error(`COPY from ${stage}, which is no stage`);
  await runProgram(['cp', '-a', '--no-preserve=ownership', `${root}${from}/.`, target]);
};

/** The files under version control that `.dockerignore` lets through. */
const copyContext = async (context: string, from: string, target: string): Promise<void> => {
  const isIncluded = includedBy(await readFile(join(context, '.dockerignore'), 'utf8'));
  const list = ['git', 'ls-files', '--cached', '--others', '--exclude-standard', from];
  const paths = (await runProgram(list, { cwd: context })).split('\n').filter(Boolean);
  const copy = 'tar -c -T - | tar -x -C "$0" --no-same-owner';
  await runProgram(['bash', '-o', 'pipefail', '-c', copy, target], {
    cwd: context,
    input: paths.filter(isIncluded).join('\n'),
  });
};
