import { basename, dirname } from 'node:path';
import { isTest, type SourceFile } from './source-file.ts';

/** Folders with a single source file, and features whose first level is not as it is everywhere. */
export const findLayoutFaults = (files: SourceFile[]): string[] => {
  const sources = files.filter((file) => !isTest(file)).map(({ path }) => path);
  return [...singleFileFolders(sources), ...featureFaults(sources)];
};

const singleFileFolders = (paths: string[]): string[] => {
  const folders = Map.groupBy(paths, dirname);
  const hasSubfolder = (folder: string) =>
    [...folders.keys()].some((other) => other.startsWith(`${folder}/`));
  return [...folders]
    .filter(([folder, { length }]) => length === 1 && !hasSubfolder(folder))
    .map(([, [path]]) => `${path} is the only source file of its folder`);
};

const featureFile = /^apps\/server\/src\/features\/([^/]+)\/([^/]+)$/;
const rootFiles = ['feature', 'routes', 'rules', 'table', 'jobs', 'queries'];

const featureFaults = (paths: string[]): string[] => {
  const features = new Set(paths.flatMap((path) => /^.*\/features\/[^/]+\//.exec(path)?.[0] ?? []));
  const withoutFeature = [...features].filter((folder) => !paths.includes(`${folder}feature.ts`));
  const others = paths.filter((path) => {
    const isAtRoot = featureFile.test(path);
    return isAtRoot && !rootFiles.includes(basename(path).replace(/\.tsx?$/, ''));
  });
  return [
    ...withoutFeature.map((folder) => `${folder} has no feature.ts`),
    ...others.map((path) => `${path} stands at a feature's root, which holds only ${rootFiles}`),
  ];
};
