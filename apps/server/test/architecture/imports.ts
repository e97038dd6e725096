import {
  type EntryPoints,
  exportsOf,
  importsOf,
  resolveImport,
  type SourceFile,
} from './source-file.ts';

/** Files that import each other, directly or through others; imports of types count. */
export const findImportCircles = (files: SourceFile[], entryPoints: EntryPoints = {}): string[] => {
  const paths = new Set(files.map(({ path }) => path));
  const graph = new Map(
    files.map((file) => {
      const targets = importsOf(file).map(({ specifier }) =>
        resolveImport(file, specifier, entryPoints),
      );
      return [file.path, targets.filter((target) => target !== undefined && paths.has(target))];
    }),
  ) as Graph;
  const circles = [...keepCircular(graph).keys()].flatMap((path) => {
    const circle = shortestCircle(graph, path);
    return circle ? [fromSmallest(circle).join(' → ')] : [];
  });
  return [...new Set(circles)].map((circle) => `import circle: ${circle}`);
};

/** The same circle for each of its files, so that it is reported once. */
const fromSmallest = (circle: string[]): string[] => {
  const first = circle.indexOf(circle.toSorted()[0] ?? '');
  return [...circle.slice(first), ...circle.slice(0, first + 1)];
};

type Graph = Map<string, string[]>;

/** A file that imports nothing of what is left is in no circle; without it, neither are its importers. */
const keepCircular = (graph: Graph): Graph => {
  const left = new Map(graph);
  for (;;) {
    const free = [...left].filter(([, targets]) => !targets.some((target) => left.has(target)));
    if (free.length === 0) return left;
    for (const [path] of free) left.delete(path);
  }
};

const shortestCircle = (graph: Graph, start: string): string[] | undefined => {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]]);
  for (const path of cameFrom.keys()) {
    for (const target of graph.get(path) ?? []) {
      if (target === start) return pathTo(path, cameFrom);
      if (!cameFrom.has(target)) cameFrom.set(target, path);
    }
  }
  return undefined;
};

const pathTo = (end: string, cameFrom: Map<string, string | undefined>): string[] => {
  const path: string[] = [];
  for (let at: string | undefined = end; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
};

/** Exports that no other file imports; what an entry point exports is for other programs. */
export const findUnusedExports = (files: SourceFile[], entryPoints: EntryPoints = {}): string[] => {
  const used = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { specifier, names } of importsOf(file)) {
      const target = resolveImport(file, specifier, entryPoints);
      if (target === undefined || target === file.path) continue;
      used.set(target, (used.get(target) ?? new Set()).union(new Set(names)));
    }
  }
  const roots = new Set(Object.values(entryPoints));
  return files
    .filter(({ path }) => !roots.has(path) && !used.get(path)?.has('*'))
    .flatMap((file) =>
      exportsOf(file)
        .filter((name) => !used.get(file.path)?.has(name))
        .map((name) => `${file.path} exports ${name}, which no file imports`),
    );
};
