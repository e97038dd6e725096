import { dirname, join, normalize } from 'node:path';

/** A file of the repository; the path is relative to the repository's root. */
export type SourceFile = { path: string; text: string };

/** `names` are those that it imports; `*` stands for all of them, as in a dynamic import. */
type Import = { specifier: string; names: string[] };

export const isTest = ({ path }: SourceFile): boolean => path.includes('.test.');

const tokens = [
  /'(?:\\.|[^'\\\n])*'/, // strings
  /"(?:\\.|[^"\\\n])*"/,
  /`(?:\\.|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}|[^`\\])*`/,
  /(?<=[(,=:[!&|?{};]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//, // regular expressions
  /\/\*[\s\S]*?\*\//, // comments
  /\/\/[^\n]*/,
];
const anyToken = new RegExp(tokens.map(({ source }) => source).join('|'), 'g');

/** Strings are skipped rather than searched: `'src/**'` does not begin a comment. */
export const withoutComments = (text: string): string =>
  text.replace(anyToken, (token) => (/^\/[*/]/.test(token) ? '' : token));

const statement =
  /^(?:import|export)\s+(?:type\s+)?((?:[\w$]+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?)?)\s*from\s*(['"])([^'"]+)\2/gm;
const sideEffect = /^import\s*(['"])([^'"]+)\1/gm;
/** Also `typeof import('./x.ts')` and `import('./x.ts').Type`. */
const dynamic = /\bimport\s*\(\s*(['"`])([^'"`$]+)\1/g;

/** Everything that a file imports or exports again, types included. */
export const importsOf = ({ text }: SourceFile): Import[] => {
  const code = withoutComments(text);
  return [
    ...[...code.matchAll(statement)].map(([, clause = '', , specifier = '']) => ({
      ...{ specifier, names: importedNames(clause) },
    })),
    ...[...code.matchAll(sideEffect)].map(([, , specifier = '']) => ({ specifier, names: [] })),
    ...[...code.matchAll(dynamic)].map(([, , specifier = '']) => ({ specifier, names: ['*'] })),
  ];
};

const importedNames = (clause: string): string[] => {
  const [outside = '', inside = ''] = clause.split('{');
  if (outside.includes('*')) return ['*'];
  return [...(outside.trim() === '' ? [] : ['default']), ...namesIn(inside).map(([name]) => name)];
};

/** `a, type b, c as d }` as pairs of the original name and the local one. */
export const namesIn = (list: string): [string, string][] =>
  list
    .replace('}', '')
    .split(',')
    .map((entry) => entry.trim().replace(/^type\s+/, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name = '', local = name] = entry.split(/\s+as\s+/);
      return [name, local];
    });

const declared =
  /^export\s+(default\s+)?(?:declare\s+|abstract\s+|async\s+)*(?:const|let|function\*?|class|type|interface|enum)\s+([\w$]+)/gm;
const destructured = /^export\s+const\s+[{[]([^=]*?)[}\]]\s*=/gm;
const listed = /^export\s+(?:type\s+)?\{([^}]*)\}/gm;

/** The names that a file exports; what `export *` passes on belongs to the other file. */
export const exportsOf = ({ text }: SourceFile): string[] => {
  const code = withoutComments(text);
  return [
    ...[...code.matchAll(declared)].map(([, isDefault, name = '']) =>
      isDefault ? 'default' : name,
    ),
    ...[...code.matchAll(destructured)].flatMap(([, list = '']) =>
      namesIn(list).map(([name]) => name.split(':').at(-1)?.trim() ?? name),
    ),
    ...[...code.matchAll(listed)].flatMap(([, list = '']) =>
      namesIn(list).map(([, exported]) => exported),
    ),
  ];
};

/** The specifier of each package's entry point, and the file that it names. */
export type EntryPoints = Record<string, string>;

/** The path that a specifier of this file names; packages from outside the repository have none. */
export const resolveImport = (
  { path }: SourceFile,
  specifier: string,
  entryPoints: EntryPoints = {},
): string | undefined =>
  specifier.startsWith('.')
    ? normalize(join(dirname(path), specifier.replace(/\?.*$/, '')))
    : entryPoints[specifier];
