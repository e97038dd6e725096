import { moduleOf } from './layers.ts';
import {
  importsOf,
  namesIn,
  resolveImport,
  type SourceFile,
  withoutComments,
} from './source-file.ts';

const statements = [
  /\b(?:sql|client|tx|db)\s*(?:<[^>`]*>)?`/,
  /\b(?:db|tx)\s*\.\s*(?:select\w*|insert|update|delete|execute)\s*\(/,
  /['"`]\s*(?:select\s.+\sfrom|insert\s+into|update\s+\S+\s+set|delete\s+from|create\s+table)\s/i,
];
const sqlFile = /\/(?:queries|table)\.ts$|\/queries\/[^/]+\.ts$/;

/** SQL outside of `table.ts`, `queries.ts` and `queries/`. */
export const findSqlFaults = ({ path, text }: SourceFile): string[] => {
  if (sqlFile.test(path)) return [];
  const code = withoutComments(text);
  return statements.flatMap((pattern) => {
    const found = code.match(pattern)?.[0].trim();
    return found ? [`${path} holds SQL (${found}) outside of table.ts and queries`] : [];
  });
};

type Table = { name: string; sqlName: string; path: string; owner: string };

/** `export const bots = pgTable('bots', …`, or a function that makes one, such as `ruleTable('…')`. */
const tableDeclaration = /^export const (\w+) =\s*\w+\(\s*'([a-z_]+)'/gm;

const tablesOf = (files: SourceFile[]): Table[] =>
  files
    .filter(({ path }) => path.endsWith('/table.ts'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(tableDeclaration)].map(([, name = '', sqlName = '']) => ({
        ...{ name, sqlName, path, owner: moduleOf(path) ?? path },
      })),
    );

/** Statements that write a table of another module of the server. */
export const findForeignWrites = (files: SourceFile[]): string[] => {
  const tables = tablesOf(files);
  return files.flatMap((file) => {
    const code = withoutComments(file.text);
    const imported = importsOf(file).map(({ specifier }) => resolveImport(file, specifier));
    return tables
      .filter(({ owner }) => owner !== moduleOf(file.path))
      .filter(({ path, sqlName }) => imported.includes(path) || code.includes(sqlName))
      .filter((table) => writesTable(file, code, table))
      .map(({ sqlName, owner }) => `${file.path} writes ${sqlName}, a table of ${owner}`);
  });
};

const writesTable = (file: SourceFile, code: string, table: Table): boolean => {
  const written = [...localNames(file, code, table).flatMap(writesByName), ...writesBySql(table)];
  return written.some((pattern) => pattern.test(code));
};

/** By what names a file speaks of a table: `bots`, `bots as robots`, or `tables.bots` of `* as tables`. */
const localNames = (file: SourceFile, code: string, { name, path }: Table): string[] =>
  importsOf(file)
    .filter(({ specifier }) => resolveImport(file, specifier) === path)
    .flatMap(({ specifier, names }) => {
      if (!names.includes(name) && !names.includes('*')) return [];
      const clause = new RegExp(`import([^;]*?)from\\s*['"]${escapeRegExp(specifier)}['"]`).exec(
        code,
      );
      const [outside = '', list = ''] = (clause?.[1] ?? '').split('{');
      const namespace = /\*\s*as\s+(\w+)/.exec(outside)?.[1];
      if (namespace) return [`${namespace}.${name}`];
      return namesIn(list).flatMap(([original, local]) => (original === name ? [local] : []));
    });

/**
 * `.insert(bots)`, `purgeRows(tx, bots)`, and `delete from ${bots}` in a tagged statement. A column of
 * the table, as in `deleteOf(bots.accountId)`, is only read.
 */
const writesByName = (local: string): RegExp[] => [
  new RegExp(
    `(?:insert|update|delete|purge|upsert)\\w*\\s*(?:<[^>]*>)?\\(\\s*(?:\\w+\\s*,\\s*)*${escapeRegExp(local)}\\b(?!\\s*\\.)`,
    'i',
  ),
  new RegExp(
    `(?:insert\\s+into|update|delete\\s+from|truncate|merge\\s+into)\\s+\\$\\{\\s*${escapeRegExp(local)}\\s*\\}`,
    'i',
  ),
];

/** `for update of bots` locks a row and writes nothing; so `update` counts only before `set`. */
const writesBySql = ({ sqlName }: Table): RegExp[] => [
  new RegExp(
    `\\b(?:insert\\s+into|delete\\s+from|truncate(?:\\s+table)?|merge\\s+into)\\s+(?:only\\s+)?"?${sqlName}"?(?![\\w.])`,
    'i',
  ),
  new RegExp(`\\bupdate\\s+(?:only\\s+)?"?${sqlName}"?\\s+(?:(?:as\\s+)?\\w+\\s+)?set\\b`, 'i'),
];

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
